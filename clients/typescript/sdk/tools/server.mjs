// The real server as a process of its own, with its data in a folder of its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The repository. */
export const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const LISTENING = /listening on (ws:\/\/\S+)/;

export class Server {
  url = "";
  /** @type {import("node:child_process").ChildProcess | undefined} */
  #process;
  #data = "";
  /** @type {string[]} */
  #options;

  /** @param {string[]} options of `hoftag serve` */
  constructor(options) {
    this.#options = options;
  }

  /** @param {string[]} options of `hoftag serve` */
  static async start(...options) {
    const server = new Server(options);
    server.#data = await mkdtemp(join(tmpdir(), "hoftag-"));
    await server.restart();
    return server;
  }

  /** Start, on the same port as before. */
  async restart() {
    const port = this.url === "" ? "0" : new URL(this.url).port;
    const what = ["-m", "hoftag", "serve", "--port", port, "--data", this.#data];
    const server = spawn(join(ROOT, ".venv/bin/python"), [...what, ...this.#options], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, PYTHONUNBUFFERED: "1", HOFTAG_LOG_LEVEL: "error" },
    });
    this.#process = server;
    for await (const line of createInterface({ input: server.stdout })) {
      const [, url] = LISTENING.exec(line) ?? [];
      if (url === undefined) continue;
      this.url = url;
      break;
    }
    server.stdout.resume();
    if (this.url === "") throw new Error("the server did not start");
  }

  /** @param {"SIGTERM" | "SIGKILL"} signal */
  async end(signal) {
    const ended = this.#process && once(this.#process, "exit");
    this.#process?.kill(signal);
    await ended;
    this.#process = undefined;
  }

  async dispose() {
    if (this.#process !== undefined) await this.end("SIGKILL");
    await rm(this.#data, { recursive: true, force: true });
  }
}
