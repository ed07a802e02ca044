/** What a client makes of bad networks, bugs and dying servers. The server is the real one. */

import { afterAll, expect, test } from "vitest";
import { canonical, ConnectionLost, type Action, type Client, type Table } from "../src/index.js";
import { deferred } from "../src/deferred.js";
import { game, InTurn, join, until } from "./clients.js";
import { Server } from "../tools/server.mjs";
import { tampered, type Frame, type Tampering } from "./tampering.js";

/** What went over the wire. */
class Wire {
  readonly sent: Frame[] = [];
  readonly received: Frame[] = [];

  socket(tampering: Tampering) {
    return tampered({
      sent: (frame, socket) => {
        this.sent.push(frame);
        tampering.sent?.(frame, socket);
      },
      received: (frame, socket) => {
        const made = tampering.received === undefined ? frame : tampering.received(frame, socket);
        if (made !== undefined) this.received.push(made);
        return made;
      },
    });
  }

  /** How often a room was watched with and without `since`. */
  watches(room: string): { since: number; whole: number } {
    const asked = this.sent.filter(
      ({ type, topic }) => type === "watch" && topic === `room:${room}`,
    );
    const since = asked.filter((frame) => frame.since !== undefined).length;
    return { since, whole: asked.length - since };
  }
}

/** Play a game over a bad wire, while another client of the same user watches over a good one. */
async function played(
  tampering: Tampering,
  options: { verify?: boolean } = {},
): Promise<{ wire: Wire; table: Table<"famiglia"> }> {
  const wire = new Wire();
  const steady = await join();
  const shaky = await join({ token: steady.token, ...options, WebSocket: wire.socket(tampering) });
  const table = await game(shaky, "famiglia");
  const watched = await steady.watchRoom<"famiglia">(table.id);
  await shaky.play(new InTurn(), table);
  await same(shaky, table, steady, watched);
  return { wire, table };
}

async function same(a: Client, one: Table, b: Client, other: Table): Promise<void> {
  await until(b, other, () => other.result !== undefined);
  await until(a, one, () => one.seq >= other.seq);
  await until(b, other, () => other.seq >= one.seq);
  expect([one.epoch, one.seq]).toEqual([other.epoch, other.seq]);
  expect(canonical(one.doc)).toBe(canonical(other.doc));
}

test("a connection that is cut resumes, and no answer acts twice", async () => {
  let acts = 0;
  let awaited: number | undefined;
  const { wire, table } = await played({
    sent: ({ type, id }, socket) => {
      if (type !== "act") return;
      acts += 1;
      if (acts === 3) socket.terminate(); // the answer may not have come through
      if (acts === 6) awaited = id;
    },
    received: (frame, socket) => {
      if (awaited === undefined || frame.re !== awaited) return frame;
      awaited = undefined;
      socket.terminate(); // it has come through, but its reply is lost
      return undefined;
    },
  });
  expect(wire.watches(table.id)).toEqual({ since: 2, whole: 1 });
  const states = wire.received.filter((frame) => frame.type === "state");
  expect(states.filter(({ topic }) => topic === table.topic)).toHaveLength(1);
  expect(wire.received.filter(({ duplicate }) => duplicate === true).length).toBeGreaterThan(0);
});

test("a gap brings the whole document", async () => {
  let diffs = 0;
  const { wire, table } = await played({
    received: (frame) => (frame.type === "diff" && ++diffs === 5 ? undefined : frame),
  });
  expect(wire.watches(table.id)).toEqual({ since: 0, whole: 2 });
});

test("a document whose hash differs is not shown, but asked for again", async () => {
  let diffs = 0;
  const { wire, table } = await played(
    {
      received: (frame) => {
        if (frame.type !== "diff" || ++diffs !== 5) return frame;
        expect(frame.hash).toMatch(/^[0-9a-f]{16}$/);
        return { ...frame, patch: { ...frame.patch, host: "nobody" } };
      },
    },
    { verify: true },
  );
  expect(wire.watches(table.id)).toEqual({ since: 0, whole: 2 });
  expect(wire.received.filter(({ hash }) => hash !== undefined).length).toBeGreaterThan(10);
});

/** Begins to start with the first of these tests, since that takes longest. */
const mortal = Server.start("--drain-ms", "0");
afterAll(async () => (await mortal).dispose());

test("a server that is killed goes on where it was, and tells before it stops", async () => {
  const server = await mortal;
  const back = deferred<void>(); // only then the loss is told: no attempt is made in vain
  const WebSocket = tampered({ ended: () => back.promise });
  const client = await join({ WebSocket }, server.url);
  const table = await game(client, "famiglia");
  const epochs = new Set<string>();
  const bot = new InTurn<"famiglia">();
  let decisions = 0;
  const choose = async (seen: Table<"famiglia">): Promise<Action<"famiglia">> => {
    epochs.add(seen.epoch);
    if (++decisions === 3) {
      await server.end("SIGKILL");
      await server.restart();
      back.resolve();
    }
    return bot.choose(seen);
  };
  const { reason } = await client.play({ choose }, table);
  expect([reason, epochs.size]).toEqual([expect.stringMatching(/last_card|two_passes/), 2]);
  const [told] = await Promise.all([notices(client, table), server.end("SIGTERM")]);
  expect(told).toEqual(["draining", "bye"]);
});

/** What is told before the connection is lost. */
async function notices(client: Client, table: Table<"famiglia">): Promise<string[]> {
  const told: string[] = [];
  for await (const change of client.changes(table)) {
    for (const notice of change.notices) told.push("kind" in notice ? notice.kind : notice.type);
    if (!change.online) return told;
  }
  throw new Error("the client was closed");
}

test("a peer that falls silent counts as lost", async () => {
  let silent = false;
  const asked: string[] = [];
  const WebSocket = tampered({
    sent: ({ type }) => void (silent && asked.push(type)),
    received: (frame) => {
      if (frame.type !== "hello") return silent ? undefined : frame;
      silent = false;
      return { ...frame, heartbeat_s: 0.05 };
    },
  });
  const client = await join({ WebSocket });
  const lobby = await client.lobby();
  silent = true;
  await until(client, lobby, () => !client.online);
  expect(asked).toEqual(["ping"]);
  await until(client, lobby, () => client.online);
});

test("without reconnect the first loss is the end", async () => {
  let sockets = 0;
  const WebSocket = tampered({
    sent: ({ type }, socket) => void (type === "ping" && ++sockets && socket.terminate()),
  });
  const client = await join({ WebSocket, reconnect: false });
  await expect(client.request("ping", {})).rejects.toBeInstanceOf(ConnectionLost);
  await expect(client.me()).rejects.toBeInstanceOf(ConnectionLost);
  expect(sockets).toBe(1);
});
