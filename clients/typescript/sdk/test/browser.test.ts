/** The built package in a real browser, where one is installed. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, inject, onTestFinished, test } from "vitest";
import { deferred } from "../src/deferred.js";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const CHROMIUM = ["chromium", "chromium-browser", "google-chrome"]
  .flatMap((name) => (process.env["PATH"] ?? "").split(delimiter).map((path) => join(path, name)))
  .find(isProgram);
const QUIET = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic"],
  ...["--no-first-run", "--disable-background-networking", "--disable-component-update"],
  "--disable-sync",
];

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Plays a game, losing its connection on the way, and posts what came of it. */
const PAGE = `<!doctype html><meta charset="utf-8"><script type="module">
const cut = { hashes: 0, states: 0, sockets: 0 };
class Cut extends WebSocket {
  constructor(...where) {
    super(...where);
    cut.sockets += 1;
    this.addEventListener("message", ({ data }) => {
      const { type, hash, topic } = JSON.parse(data);
      if (type === "state" && topic.startsWith("room:")) cut.states += 1;
      if (hash !== undefined && ++cut.hashes === 5) this.close();
    });
  }
}

async function play() {
  const { connect } = await import("/dist/index.js");
  const client = await connect("SERVER", { name: "ada", verify: true, WebSocket: Cut });
  const table = await client.createRoom("famiglia", { seats: 2 });
  await client.addBot(table, "random");
  await client.ready(table);
  const result = await client.play({ choose: ({ legal }) => legal[0] }, table);
  return { ...cut, result };
}

const told = await play().catch((error) => ({ error: String(error) }));
await fetch("/told", { method: "POST", body: JSON.stringify(told) });
</script>`;

/** Serves the page and the package; `told` gets what the page posts. */
function serve(told: (body: string) => void): Server {
  return createServer((request, response) => {
    const { method, url = "" } = request;
    if (method === "POST") {
      request.setEncoding("utf8").once("data", told);
      request.once("end", () => response.end());
    } else if (url.startsWith("/dist/")) {
      response.setHeader("Content-Type", "text/javascript");
      response.end(readFileSync(join(DIST, url.slice("/dist/".length))));
    } else {
      response.setHeader("Content-Type", "text/html");
      response.end(url === "/" ? PAGE.replace("SERVER", inject("url")) : "");
    }
  });
}

/** Show a page; the browser is gone, with all its processes, when the test is over. */
function open(program: string, url: string): void {
  const data = mkdtempSync(join(tmpdir(), "hoftag-browser-"));
  const options = [...QUIET, `--user-data-dir=${data}`, url];
  const browser = spawn(program, options, { stdio: "ignore", detached: true });
  const gone = once(browser, "exit");
  onTestFinished(async () => {
    if (browser.pid !== undefined) process.kill(-browser.pid, "SIGKILL");
    await gone;
    rmSync(data, { recursive: true, force: true, maxRetries: 9 });
  });
}

test.skipIf(CHROMIUM === undefined)("a whole game in Chromium", async () => {
  const told = deferred<string>();
  const server = serve(told.resolve).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  open(CHROMIUM ?? "", `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const seen = JSON.parse(await told.promise);
  expect(seen).toMatchObject({ sockets: 2, states: 1, result: { placement: expect.anything() } });
  expect(seen.hashes).toBeGreaterThan(10);
});
