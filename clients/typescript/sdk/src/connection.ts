/** One WebSocket's life, from the attempt to open it to its end. */

import { Inbox } from "./inbox.js";
import type { Socket } from "./socket.js";
import { Watchdog } from "./watchdog.js";

/** Who is told what comes, one at a time and in order. */
export interface Listener {
  connected(): void;
  /** A text frame. The next thing is told when the promise, if there is one, is fulfilled. */
  frame(text: string): Promise<void> | undefined;
  /** It could not be opened, or is gone; `code` only after a closing handshake. */
  lost(code: number | undefined, reason: string): void;
}

export class Connection {
  readonly #socket: Socket;
  readonly #inbox = new Inbox();
  #openTimer: ReturnType<typeof setTimeout> | undefined;
  #watchdog: Watchdog | undefined;
  #listener: Listener | undefined;
  #open = false;
  #trouble = "";

  constructor(socket: Socket, openTimeoutMs: number, listener: Listener) {
    this.#socket = socket;
    this.#listener = listener;
    this.openWithin(openTimeoutMs);
    socket.addEventListener("open", () => this.#arrived(() => this.#opened()));
    socket.addEventListener("message", ({ data }) => {
      this.#watchdog?.heard(); // also where what came before takes long
      this.#arrived(() => this.#listener?.frame(String(data)));
    });
    socket.addEventListener("error", ({ message }) => (this.#trouble = message ?? ""));
    socket.addEventListener("close", ({ code, reason }) =>
      this.#arrived(() => this.#closed(code, reason)),
    );
  }

  send(frame: string): void {
    this.#socket.send(frame);
  }

  /** Lose it unless it is watched over by then; a time that was set before holds no more. */
  openWithin(ms: number): void {
    clearTimeout(this.#openTimer);
    this.#openTimer = setTimeout(() => this.#lose(undefined, `no answer within ${ms} ms`), ms);
  }

  /** It works: lose it if nothing comes, although `ask` was called (`Watchdog` says when). */
  watchOver(heartbeatMs: number, waiting: () => boolean, ask: () => void): void {
    clearTimeout(this.#openTimer);
    const dead = (): void => this.#lose(undefined, "the server has fallen silent");
    this.#watchdog = new Watchdog(heartbeatMs, waiting, ask, dead);
  }

  /** Close it; nobody is told anything any more. */
  close(): void {
    this.#listener = undefined;
    clearTimeout(this.#openTimer);
    this.#watchdog?.stop();
    this.#socket.close(1000);
  }

  #arrived(task: () => Promise<void> | undefined | void): void {
    this.#inbox.add(() => task() ?? undefined);
  }

  #opened(): void {
    this.#open = true;
    this.#listener?.connected();
  }

  #closed(code: number, reason: string): void {
    const trouble = this.#trouble === "" ? "" : `: ${this.#trouble}`;
    const happened = this.#open ? "the connection was lost" : "cannot connect";
    this.#lose(code === 1006 ? undefined : code, reason || happened + trouble);
  }

  #lose(code: number | undefined, reason: string): void {
    const listener = this.#listener;
    this.close();
    listener?.lost(code, reason);
  }
}
