/** The state machine without a server, where a server cannot be brought to do it. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { delay } from "../src/backoff.js";
import { CLOSE_CODES, ConnectionLost, digest, ERROR_CODES, RefusedError } from "../src/index.js";
import { Session, type Observer } from "../src/session.js";
import { ROOT } from "../tools/server.mjs";

const PAGE = readFileSync(join(ROOT, "docs/protocol.md"), "utf8");

class Told implements Observer {
  events: unknown[] = [];
  opened = (): unknown => this.events.push("opened");
  changed = (topic: string): unknown => this.events.push(topic);
  noticed = ({ type }: { type: string }): unknown => this.events.push(type);
  dropped = (topic: string, error: Error): unknown => this.events.push([topic, error]);
  stopped = (error: Error): unknown => this.events.push(error);
}

const HELLO = { type: "hello", protocol: 1, limits: {}, games: {}, features: [], heartbeat_s: 20 };
const USER = { id: "u", name: "ada", kind: "guest" };

/** A session in the middle of a connection at time 0. */
function talking(): { session: Session; told: Told; say: (frame: object, now?: number) => void } {
  const told = new Told();
  const session = new Session({ type: "auth", name: "ada" }, told, () => 0);
  const say = (frame: object, now = 0): void => void session.receive(JSON.stringify(frame), now);
  session.connected();
  say(HELLO);
  expect(JSON.parse(session.nextFrame(0)!)).toEqual({ type: "auth", name: "ada", id: 1 });
  say({ type: "ok", re: 1, user: USER, token: "secret" });
  expect(told.events).toEqual(["opened"]);
  return { session, told, say };
}

/** The rows of a generated table: the code, and whether trying again is of use. */
function rows(name: string): [string, string][] {
  const [, table = ""] = new RegExp(`<!-- ${name} -->([^]*?)<!-- /${name} -->`).exec(PAGE) ?? [];
  const found = [...table.matchAll(/^\| `?(\w+)`? \|.*?\| (yes|no) \|/gm)];
  return found.map(([, code = "", again = ""]) => [code, again]);
}

describe("close codes", () => {
  const published = rows("closes");
  const others = [
    ["1006", "yes"],
    ["1001", "yes"],
    ["4077", "yes"],
    ["4477", "no"],
  ] as const;

  test("the table is the published one", () => {
    const ours = Object.entries(CLOSE_CODES).map(([code, row]) => [code, row.reconnect]);
    expect(ours.length).toBeGreaterThan(10);
    expect(new Map(published.map(([code, again]) => [code, again === "yes"]))).toEqual(
      new Map(ours as [string, boolean][]),
    );
  });

  test.each([...published, ...others])("after %s reconnect: %s", (code, again) => {
    const { session } = talking();
    session.disconnected(Number(code), "", 1000);
    expect(session.reconnectAt).toBe(again === "yes" ? 1000 + delay(1, 0) : undefined);
  });

  test("bye says not before when, or never", () => {
    for (const [bye, at] of [
      [{ reconnect: true, after_ms: 5000 }, 6000],
      [{ reconnect: false, after_ms: 0 }, undefined],
    ] as const) {
      const { session, say, told } = talking();
      say({ type: "bye", code: 4000, reason: "", ...bye });
      session.disconnected(4000, "", 1000);
      expect([session.reconnectAt, told.events.at(-1)]).toEqual([at, "bye"]);
    }
  });
});

test("the table of errors is the published one", () => {
  const ours = Object.entries(ERROR_CODES).map(([code, row]) => [code, row.retriable]);
  const published = rows("errors").map(([code, again]) => [code, again === "yes"]);
  expect(ours.length).toBeGreaterThan(10);
  expect(ours).toEqual(published);
});

test("waits grow up to a limit, and start anew after a connection that lived", () => {
  expect([1, 2, 3, 7, 8, 99].map((attempt) => delay(attempt, 1))).toEqual([
    250, 500, 1000, 16_000, 20_000, 20_000,
  ]);
  const { session, say } = talking();
  const live = (from: number, ms: number): number => {
    session.connected();
    say(HELLO, from);
    const { id, ...auth } = JSON.parse(session.nextFrame(from)!);
    expect(auth).toMatchObject({ type: "auth", token: "secret" });
    say({ type: "ok", re: id, user: USER }, from);
    session.disconnected(undefined, "", from + ms);
    return session.reconnectAt! - from - ms;
  };
  session.disconnected(undefined, "", 0);
  expect(session.reconnectAt).toBe(delay(1, 0)); // a single break is mended at once
  expect([1, 2, 3].map((n) => live(n * 1000, 4_999))).toEqual([2, 3, 4].map((n) => delay(n, 0)));
  session.disconnected(undefined, "", 9000); // an attempt that fails
  expect(session.reconnectAt).toBe(9000 + delay(5, 0));
  expect([live(10_000, 20_000), live(40_000, 5)]).toEqual([delay(1, 0), delay(2, 0)]);
});

describe("refusals that pass", () => {
  test("rate_limited waits as long as the server says, everything else a little", async () => {
    const { session, say } = talking();
    const reply = session.request({ type: "ping" });
    session.nextFrame(0);
    say({ type: "error", re: 2, code: "rate_limited", message: "", retry_after_ms: 300 });
    void session.request({ type: "ping" });
    expect([session.nextFrame(299), session.nextAt()]).toEqual([undefined, 300]);
    expect(session.nextFrame(300)).toBe('{"type":"ping","id":2}');
    say({ type: "ok", re: 2, now: 1 });
    expect(await reply).toMatchObject({ now: 1 });
  });

  test("a wait of more than ten seconds is the caller's affair", async () => {
    const { session, say } = talking();
    const reply = session.request({ type: "ping" });
    session.nextFrame(0);
    say({ type: "error", re: 2, code: "rate_limited", message: "", retry_after_ms: 10_001 });
    await expect(reply).rejects.toMatchObject({ retryAfterMs: 10_001 });
  });

  test("unavailable is tried eight times", async () => {
    const { session, say } = talking();
    const reply = session.request({ type: "room.leave", room: "aaaaaaaaaa" });
    for (let tries = 1; tries <= 8; tries++) {
      expect(session.nextFrame(1e6)).toBeDefined();
      say({ type: "error", re: 2, code: "unavailable", message: "" });
    }
    await expect(reply).rejects.toBeInstanceOf(RefusedError);
  });

  test("internal is tried once more", async () => {
    const { session, say } = talking();
    const reply = session.request({ type: "ping" });
    for (const code of ["unavailable", "internal", "internal"]) {
      expect(session.nextFrame(1e6)).toBe('{"type":"ping","id":2}');
      say({ type: "error", re: 2, code, message: "" });
    }
    expect(session.nextFrame(1e6)).toBeUndefined();
    await expect(reply).rejects.toMatchObject({ code: "internal" });
  });

  test("so is an auth", () => {
    const { session, say, told } = talking();
    session.disconnected(undefined, "", 0);
    session.connected();
    say(HELLO);
    for (const stopped of [0, 1]) {
      const { id } = JSON.parse(session.nextFrame(1e6)!);
      expect(told.events.length).toBe(1);
      say({ type: "error", re: id, code: "internal", message: "" });
      expect(told.events.length).toBe(1 + stopped);
    }
    expect(told.events.at(-1)).toMatchObject({ code: "internal" });
  });
});

describe("the order in which requests are sent", () => {
  const refusal = (re: number, code: string, retry_after_ms?: number): object => ({
    ...{ type: "error", re, code, message: "", retry_after_ms },
  });
  /** The ids of the frames that are sent now. */
  const sent = (session: Session, now: number): number[] => {
    const ids: number[] = [];
    for (let frame = session.nextFrame(now); frame; frame = session.nextFrame(now))
      ids.push(JSON.parse(frame).id);
    return ids;
  };
  const ask = (session: Session, times: number): void => {
    for (; times > 0; times--) session.request({ type: "ping" }).catch(() => {});
  };

  test.each(["unavailable", "rate_limited"])("stays after %s", (code) => {
    const { session, say } = talking();
    ask(session, 4);
    const [first, second] = [session.nextFrame(0), session.nextFrame(0)].map(
      (frame) => JSON.parse(frame!).id,
    );
    say(refusal(second, code, 100));
    say(refusal(first, code, 100));
    expect(sent(session, 5000)).toEqual([2, 3, 4, 5]);
  });

  test("has the topics of a new connection first, also after a refusal", () => {
    const { session, say } = talking();
    void session.watch("lobby");
    session.disconnected(undefined, "", 0);
    ask(session, 2);
    session.connected();
    say(HELLO);
    say({ type: "ok", re: JSON.parse(session.nextFrame(0)!).id, user: USER });
    const { id, type } = JSON.parse(session.nextFrame(0)!);
    expect(type).toBe("watch");
    say(refusal(id, "unavailable"));
    expect(sent(session, 5000)).toEqual([id, 3, 4]);
  });

  test.each([300, 5000])("an unwatch refused for %i ms ends no later watch", async (ms) => {
    const { session, told, say } = talking();
    void session.watch("lobby").catch(() => {});
    sent(session, 0);
    const unwatched = session.unwatch("lobby");
    expect(sent(session, 0)).toEqual([3]);
    const watched = (): void => void session.watch("lobby");
    if (ms < 1000) watched(); // while the refusal is on its way, or when it has come
    say(refusal(3, "rate_limited", ms));
    if (ms > 1000) watched();
    expect([...sent(session, 1000), ...sent(session, 5000)]).toEqual([4]);
    await unwatched;
    say({ type: "ok", re: 4, epoch: "e", seq: 0, recovered: false });
    say({ type: "state", topic: "lobby", epoch: "e", seq: 0, doc: {} });
    expect(told.events.at(-1)).toBe("lobby");
  });

  test("a refused watch of what was let go is not sent again", async () => {
    const { session, say } = talking();
    const watched = session.watch("lobby");
    expect(sent(session, 0)).toEqual([2]);
    say(refusal(2, "rate_limited", 300));
    void session.unwatch("lobby");
    await expect(watched).rejects.toBeInstanceOf(ConnectionLost);
    expect(sent(session, 5000)).toEqual([3]);
  });
});

test("what was under way when the connection went", async () => {
  const { session, say } = talking();
  const act = session.request({ type: "act", room: "aaaaaaaaaa", decision: 1, choice: 0 });
  const leave = session.request({ type: "room.leave", room: "aaaaaaaaaa" });
  session.nextFrame(0);
  session.nextFrame(0);
  const unsent = session.request({ type: "room.leave", room: "bbbbbbbbbb" });
  session.disconnected(undefined, "gone", 0);
  await expect(leave).rejects.toBeInstanceOf(ConnectionLost);
  session.connected();
  say(HELLO);
  session.nextFrame(0);
  say({ type: "ok", re: 5, user: USER });
  expect(JSON.parse(session.nextFrame(0)!)).toMatchObject({ type: "act", decision: 1 });
  expect(JSON.parse(session.nextFrame(0)!)).toMatchObject({ room: "bbbbbbbbbb" });
  say({ type: "ok", re: 2, seq: 3 });
  say({ type: "error", re: 4, code: "conflict", message: "" });
  expect(await act).toMatchObject({ seq: 3 });
  await expect(unsent).rejects.toMatchObject({ code: "conflict" });
});

test("what JSON cannot hold is the caller's error, and leaves nothing behind", async () => {
  const { session } = talking();
  const circle: Record<string, unknown> = {};
  circle["circle"] = circle;
  for (const room of [1n, circle] as unknown as string[]) {
    expect(() => session.request({ type: "room.leave", room })).toThrow(TypeError);
    await expect(async () => session.watch("room:aaaaaaaaaa", room)).rejects.toThrow(TypeError);
    expect(() => new Session({ type: "auth", name: room }, new Told())).toThrow(TypeError);
  }
  expect([session.nextFrame(0), session.topic("room:aaaaaaaaaa")]).toEqual([undefined, undefined]);
  session.disconnected(undefined, "", 0);
  session.abort(new Error("closed")); // what it rejects and nobody awaits would fail this run
});

test("what is longer than the server takes is refused at once, and leaves nothing behind", () => {
  const { session, say } = talking();
  say({ ...HELLO, limits: { frame_bytes: 41 } });
  const revoke = (name: string): unknown => session.request({ type: "token.revoke", name });
  const frame = (name: string, id: number): string =>
    JSON.stringify({ type: "token.revoke", name, id });
  expect(frame("", 2)).toHaveLength(40);
  for (const name of ["xx", "ä"]) {
    expect(() => revoke(name)).toThrow(RangeError);
    expect(() => revoke(name)).toThrow("42 bytes; the server takes 41 at most");
  }
  expect(() => session.watch("lobby", "x".repeat(20))).toThrow(RangeError);
  expect([session.nextFrame(0), session.topic("lobby")]).toEqual([undefined, undefined]);
  void revoke("x");
  expect(session.nextFrame(0)).toBe(frame("x", 7));
});

test("a watch is no request of its own: nobody would tell it the answer", () => {
  expect(() => talking().session.request({ type: "watch", topic: "lobby" })).toThrow(TypeError);
});

describe("missed diffs", () => {
  const diff = (seq: number): object => ({
    ...{ type: "diff", topic: "lobby", seq, at: 1, patch: { online: seq }, events: [{ seq }] },
  });

  /** A session that has seen version 0 of the lobby, and is told that it missed two. */
  function returned(): ReturnType<typeof talking> {
    const talk = talking();
    const { session, told, say } = talk;
    void session.watch("lobby");
    session.nextFrame(0);
    say({ type: "ok", re: 2, epoch: "e", seq: 0, recovered: false });
    say({ type: "state", topic: "lobby", epoch: "e", seq: 0, doc: { online: 0 } });
    comeBack(talk);
    told.events = [];
    return talk;
  }

  function comeBack({ session, say }: ReturnType<typeof talking>): void {
    session.disconnected(undefined, "", 0);
    session.connected();
    say(HELLO);
    say({ type: "ok", re: JSON.parse(session.nextFrame(0)!).id, user: USER });
    const { id, since } = JSON.parse(session.nextFrame(0)!);
    expect(since).toEqual({ epoch: "e", seq: 0 });
    say({ type: "ok", re: id, epoch: "e", seq: 2, recovered: true });
  }

  test("nobody is told of a decision of the past while more of them come", () => {
    const { session, told, say } = returned();
    const shown = session.topic("lobby")?.document;
    say(diff(1));
    expect([told.events, shown?.seq, shown?.doc]).toEqual([[], 0, { online: 0 }]);
    say(diff(2));
    expect([told.events, shown?.seq, shown?.doc]).toEqual([["lobby"], 2, { online: 2 }]);
  });

  test("one whose hash is found when its connection is gone is not shown", async () => {
    const { session, told, say } = returned();
    const shown = session.topic("lobby")?.document;
    say(diff(1));
    const checked = { ...diff(2), hash: await digest({ online: 2 }) };
    const checking = session.receive(JSON.stringify(checked), 0);
    session.disconnected(undefined, "", 0);
    await checking;
    expect([told.events, shown?.seq, session.topic("lobby")?.live]).toEqual([[], 0, false]);
  });
});

test("a server that speaks another protocol is no use", () => {
  const told = new Told();
  const session = new Session({ type: "auth" }, told);
  session.connected();
  void session.receive(JSON.stringify({ ...HELLO, protocol: 2 }), 0);
  expect(told.events).toEqual([expect.any(ConnectionLost)]);
});
