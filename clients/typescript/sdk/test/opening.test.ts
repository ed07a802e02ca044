/** Peers that open a connection, and then leave a client waiting. */

import { expect, inject, test } from "vitest";
import WebSocket from "ws";
import { connect, RefusedError } from "../src/index.js";
import { join, until } from "./clients.js";
import { peer } from "./peer.js";
import { tampered } from "./tampering.js";

test("a first connection with a hello and nothing else fails in time", async () => {
  const mute = tampered({ received: (frame) => (frame.type === "hello" ? frame : undefined) });
  const opening = connect(inject("url"), { WebSocket: mute, openTimeoutMs: 200 });
  await expect(opening).rejects.toThrow("no answer within 200 ms");
}, 10_000);

test("a user who cannot be encoded is refused before there is a connection", async () => {
  const sockets: unknown[] = [];
  class Counted extends WebSocket {
    constructor(url: string) {
      super(url);
      sockets.push(url);
    }
  }
  const name = 1n as unknown as string;
  await expect(join({ name, WebSocket: Counted })).rejects.toThrow(TypeError);
  const client = await join();
  await expect(client.request("room.leave", { room: name })).rejects.toThrow(TypeError);
  client.close();
  expect(sockets).toEqual([]);
});

test("an address of http is that of the WebSocket", async () => {
  const client = await join({}, inject("url").replace("ws://", "HTTP://"));
  client.close();
  class Refused extends WebSocket {
    constructor() {
      super("nowhere");
    }
  }
  const opening = join({ WebSocket: Refused }, "https://HOST/ws");
  await expect(opening).rejects.toThrow("not a WebSocket address: wss://HOST/ws");
});

test("after a refused attempt and a hello without an answer the next attempt is made", async () => {
  const attempts: string[] = [];
  const socket = tampered({
    sent: ({ type }, socket) => void (type === "ping" && attempts.length === 0 && lose(socket)),
    received: (frame) => (frame.type !== "hello" && attempts.at(-1) === "mute" ? undefined : frame),
  });
  const lose = (socket: WebSocket): void => {
    attempts.push("lost");
    socket.terminate();
  };
  class Ways extends socket {
    constructor(url: string, protocols?: string | string[]) {
      const next = { lost: "refused", refused: "mute", mute: "open" }[attempts.at(-1) ?? ""];
      if (next !== undefined) attempts.push(next);
      super(next === "refused" ? "ws://127.0.0.1:9/ws" : url, protocols);
    }
  }
  const client = await join({ WebSocket: Ways, openTimeoutMs: 1000 });
  expect(await client.request("ping", {})).toMatchObject({ now: expect.any(Number) });
  expect(attempts).toEqual(["lost", "refused", "mute", "open"]);
}, 20_000);

/** The address of a server that answers each message with the next reply, and then no more. */
function replying(...replies: object[]): Promise<string> {
  return peer(({ id }, say, socket) => {
    say({ ...replies.shift(), re: id });
    if (replies.length === 0) socket.close(4401, "no more");
  });
}

test("a wait that the server asks for is not counted", async () => {
  const user = { id: "u", name: "ada", kind: "guest" };
  const refusal = { type: "error", code: "rate_limited", message: "", retry_after_ms: 600 };
  const url = await replying(refusal, { type: "ok", user, token: "secret" });
  expect((await join({ openTimeoutMs: 500 }, url)).user.name).toBe("ada");
});

test("a refusal is told as such although the connection ends with it", async () => {
  const url = await replying({ type: "error", code: "forbidden", message: "try again" });
  const refused = join({ login: { name: "ada", password: "guess" } }, url);
  await expect(refused).rejects.toBeInstanceOf(RefusedError);
  await expect(refused).rejects.toMatchObject({ code: "forbidden", text: "try again" });
});

test("a wait for opponents can be left while there is no connection", async () => {
  let deaf = false;
  const WebSocket = tampered({
    sent: ({ type }, socket) => void (type === "unwatch" && (deaf = true) && socket.terminate()),
    received: (frame) => (deaf ? undefined : frame),
  });
  const client = await join({ WebSocket });
  const [lobby, other] = [await client.lobby("famiglia"), await client.lobby()];
  await client.unwatch(other);
  await until(client, lobby, () => !client.online);
  const leave = new AbortController();
  const waiting = client.queue("famiglia", { seats: [2], signal: leave.signal });
  leave.abort(new Error("home"));
  await expect(waiting).rejects.toThrow("home");
}, 10_000);
