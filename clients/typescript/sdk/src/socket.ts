/** The WebSocket that the platform has, or that is given. */

/** What this package needs of a WebSocket: browsers have it, and the class of the package `ws`. */
export interface Socket {
  send(data: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(
    type: "open" | "message" | "error" | "close",
    listener: (event: any) => void,
  ): void;
}

export type SocketClass = new (url: string, protocols?: string | string[]) => Socket;

/** The platform's own class. Throws where there is none, as in Node.js before version 22. */
export function platformSocket(): SocketClass {
  const found = (globalThis as { WebSocket?: SocketClass }).WebSocket;
  if (found === undefined) {
    const hint = 'import WebSocket from "ws"; connect(url, { WebSocket })';
    throw new Error(`this platform has no WebSocket; give one: ${hint}`);
  }
  return found;
}
