/** A socket that does to the frames of a real connection what a bad network, or a bug, would. */

import WebSocket from "ws";
import type { Socket, SocketClass } from "../src/index.js";

export type Frame = any;

export interface Tampering {
  /** Called with what was sent just now. */
  sent?(frame: Frame, socket: WebSocket): void;
  /** What is to arrive in place of a frame; undefined: nothing does. */
  received?(frame: Frame, socket: WebSocket): Frame | undefined;
  /** What the end of a connection waits for until it is told. */
  ended?(): Promise<void>;
}

export function tampered({ sent, received, ended }: Tampering): SocketClass {
  return class implements Socket {
    readonly #socket: WebSocket;

    constructor(url: string, protocols?: string | string[]) {
      this.#socket = new WebSocket(url, protocols);
    }

    send(data: string): void {
      this.#socket.send(data);
      sent?.(JSON.parse(data), this.#socket);
    }

    close(code?: number): void {
      this.#socket.close(code);
    }

    addEventListener(type: "open" | "message" | "error" | "close", listen: Frame): void {
      if (type === "close" && ended !== undefined)
        return this.#socket.addEventListener(
          type,
          (event) => void ended().then(() => listen(event)),
        );
      if (type !== "message" || received === undefined)
        return this.#socket.addEventListener(type, listen);
      this.#socket.addEventListener(type, ({ data }) => {
        const frame = received(JSON.parse(String(data)), this.#socket);
        if (frame !== undefined) listen({ data: JSON.stringify(frame) });
      });
    }
  };
}
