/** The client without an SDK, examples/node_client.mjs, against the real server. */

import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { ROOT } from "../tools/server.mjs";

/** The example in a folder of its own where `ws` is installed. */
const folder = mkdtempSync(join(tmpdir(), "hoftag-example-"));
const PATCH_CASES = join(ROOT, "protocol/patch_cases.json");

beforeAll(() => {
  cpSync(join(ROOT, "examples/node_client.mjs"), join(folder, "node_client.mjs"));
  symlinkSync(join(ROOT, "clients/typescript/node_modules"), join(folder, "node_modules"));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** What it prints; rejects if it exits with anything but 0. */
async function run(...options: string[]): Promise<string> {
  const program = [join(folder, "node_client.mjs"), ...options];
  return (await promisify(execFile)(process.execPath, program)).stdout;
}

test("it applies every patch of the shared cases", async () => {
  expect(await run("--self-test", PATCH_CASES)).toMatch(/^(\d+) of \1 patch cases passed$/m);
});

test("it plays a game through a connection that it cuts, and checks the shuffle", async () => {
  const output = await run("--url", inject("url"), "--drop", "3");
  expect(output).toMatch(/-- back: seq \d+ -> \d+, recovered: true/);
  expect(output).toMatch(/^result: \{"reason":"(last_card|two_passes)"/m);
  expect(output.match(/^ok {4}/gm)).toHaveLength(4);
});
