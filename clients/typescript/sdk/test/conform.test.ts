/** Hard cases of the conformance kit, played by `client.play`. pytest plays all, by `client.act`. */

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ROOT } from "../tools/server.mjs";

const CASES = ["act-01", "act-02", "act-04"];
const BOT = join(ROOT, "clients/typescript/sdk/conform/steady_bot.mjs");

test("answers that are refused, or come when the decision is another", async () => {
  const only = CASES.flatMap((id) => ["--only", id]);
  const bot = [process.execPath, BOT, "{url}", "famiglia", "2", "play"];
  const options = ["conform", "client", "--jobs", "2", ...only, "--", ...bot];
  const { stdout } = await promisify(execFile)(join(ROOT, ".venv/bin/hoftag"), options);
  for (const id of CASES) expect(stdout).toMatch(new RegExp(`^ok +${id} `, "m"));
});
