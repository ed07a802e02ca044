/** One server for all tests that do not need one of their own. */

import type { TestProject } from "vitest/node";
import { Server } from "../tools/server.mjs";

declare module "vitest" {
  export interface ProvidedContext {
    url: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await Server.start("--drain-ms", "0");
  project.provide("url", server.url);
  return () => server.dispose();
}
