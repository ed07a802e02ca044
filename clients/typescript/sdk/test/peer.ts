/** A server that does what a test says, where the real one cannot be brought to do it. */

import { onTestFinished } from "vitest";
import { WebSocketServer, type WebSocket } from "ws";
import type { Frame } from "./tampering.js";

/** Called with each message; `say` sends one. */
export type Answering = (frame: Frame, say: (message: object) => void, socket: WebSocket) => void;

/** The address of a server that says hello, and then answers. */
export async function peer(answer: Answering): Promise<string> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => void server.close());
  server.on("connection", (socket) => {
    const say = (message: object): void => socket.send(JSON.stringify(message));
    say({ type: "hello", protocol: 1, limits: {}, games: {}, features: [], heartbeat_s: 20 });
    socket.on("message", (data) => answer(JSON.parse(String(data)), say, socket));
  });
  await new Promise((resolve) => server.once("listening", resolve));
  return `ws://127.0.0.1:${(server.address() as { port: number }).port}/ws`;
}
