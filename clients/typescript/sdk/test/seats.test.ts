/** How a seat is taken, and taken back from the bot that plays for its user. */

import { expect, test } from "vitest";
import WebSocket from "ws";
import { deferred } from "../src/deferred.js";
import { join, until } from "./clients.js";
import { peer } from "./peer.js";
import type { Frame } from "./tampering.js";

const USER = { id: "u", name: "ada", kind: "guest" };
const ROOM = "aaaaaaaaaa";
const TOPIC = `room:${ROOM}`;
const SEATS = { 0: { user: USER }, 1: { bot: "greedy" } };

/** What everybody's answers have in common: `auth`, `ping`, and a `watch` that brings `doc`, version `seq`. */
function usual({ type, id }: Frame, say: (message: object) => void, doc: object, seq = 0): boolean {
  if (type === "auth") say({ type: "ok", re: id, user: USER, token: "secret" });
  else if (type === "ping") say({ type: "ok", re: id, now: 1 });
  else if (type === "watch") {
    say({ type: "ok", re: id, epoch: "e", seq, recovered: false });
    say({ type: "state", topic: TOPIC, epoch: "e", seq, doc: { id: ROOM, ...doc } });
  } else return false;
  return true;
}

const diff = (seq: number, patch: object): object => ({
  ...{ type: "diff", topic: TOPIC, seq, patch, events: [], at: 1 },
});

test("a seat whose time is up is asked for again at the next decision, and not before", async () => {
  const sent: string[] = [];
  const refused = deferred<(message: object) => void>();
  const seats = { ...SEATS, 0: { user: USER, bot: "greedy" } };
  const doc = { status: "playing", seats, turn: { seat: 0, decision: 1 }, you: { seat: 0 } };
  const url = await peer((frame, say) => {
    const { type, id } = frame;
    if (usual(frame, say, doc)) return;
    sent.push(type);
    if (type === "act") {
      say({ type: "ok", re: id, seq: 4 });
      say(diff(4, { status: "ended", turn: null, you: { decision: null }, result: {} }));
    } else if (sent.length === 1) {
      say({ type: "error", re: id, code: "conflict", message: "your time is up", seq: 0 });
      refused.resolve(say);
    } else {
      say({ type: "ok", re: id, seat: 0 });
      const decision = { id: 2, legal: [{ type: "pass" }], default: 0 };
      say(diff(3, { seats: { 0: { bot: null } }, you: { decision } }));
    }
  });
  const client = await join({}, url);
  const table = await client.watchRoom(ROOM);
  const playing = client.play({ choose: ({ legal }) => legal[0]! }, table);
  playing.catch(() => {}); // where this fails before
  const tell = await refused.promise;
  await client.request("ping", {}); // by then the refusal has come
  tell(diff(1, { spectators: 1 }));
  await until(client, table, () => table.seq === 1);
  await client.request("ping", {});
  expect(sent).toEqual(["room.join"]);
  tell(diff(2, { turn: { decision: 2 } }));
  await until(client, table, () => table.seq >= 2);
  await client.request("ping", {});
  expect(sent.slice(0, 2)).toEqual(["room.join", "room.join"]);
  await playing;
  expect(sent.slice(2)).toEqual(["act"]);
});

test("who watched before has his seat when he has joined, although the diff comes late", async () => {
  const open = { status: "open", seats: { 0: {}, 1: {} } };
  const sent: Frame[] = [];
  const url = await peer((frame, say) => {
    sent.push(frame);
    const joined = sent.some(({ type }) => type === "room.join");
    if (joined && frame.type === "watch") say(diff(1, { seats: SEATS, you: { seat: 0 } }));
    if (
      usual(frame, say, joined ? { ...open, seats: SEATS, you: { seat: 0 } } : open, Number(joined))
    )
      return;
    say({ type: "ok", re: frame.id, seat: 0 });
  });
  const client = await join({}, url);
  const table = await client.watchRoom(ROOM);
  const changes = client.changes(table);
  await changes.next();
  expect(await client.joinRoom(ROOM)).toBe(table);
  expect(table.seat).toBe(0);
  expect(sent.map(({ type }) => type)).toEqual(["auth", "watch", "room.join", "watch"]);
  expect(sent[3].since).toBeUndefined(); // which is for a new connection
  expect(await changes.next()).toMatchObject({ value: { complete: true } }); // the `state` is no news
});

test("who is removed before he watches has no seat, and waits for none", async () => {
  const host = await join();
  const hosted = await host.createRoom("famiglia", { seats: 2 });
  const removed = until(host, hosted, () => hosted.doc.seats[1]?.user !== undefined).then(() =>
    host.remove(hosted, 1),
  );
  class Late extends WebSocket {
    override send(data: string): void {
      if (JSON.parse(data).type !== "watch") super.send(data);
      else void removed.then(() => super.send(data));
    }
  }
  const guest = await join({ WebSocket: Late });
  const table = await guest.joinRoom(hosted.id);
  expect([table.seat, table.doc.seats[1]?.user]).toEqual([undefined, undefined]);
}, 10_000);
