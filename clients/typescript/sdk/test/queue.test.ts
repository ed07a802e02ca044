import { expect, test } from "vitest";
import { TicketLost, type Ticket } from "../src/index.js";
import { join, until } from "./clients.js";
import { tampered, type Frame } from "./tampering.js";

test("two who queue meet, both are asked, and the game runs", async () => {
  const [ada, bob] = [await join(), await join()];
  const tickets: Ticket[] = [];
  const asked: (number | undefined)[] = [];
  const [mine, his] = await Promise.all([
    ada.queue("staufer", {
      seats: [2],
      clock: { bank_s: 311, increment_s: 1 },
      progress: (ticket) => tickets.push(ticket),
      accept: async ({ match }) => {
        asked.push(match?.of);
        return Promise.resolve(true);
      },
    }),
    bob.queue("staufer", { seats: [2, 3], clock: { bank_s: 311, increment_s: 1 } }),
  ]);
  expect(mine.id).toBe(his.id);
  expect([mine.status, asked]).toEqual(["playing", [2]]);
  expect(new Set([mine.seat, his.seat])).toEqual(new Set([0, 1]));
  expect(tickets[0]).toMatchObject({ game: "staufer", place: 1, match: undefined });
});

test("who is not ready loses his ticket, the other waits on until he leaves", async () => {
  const [ada, bob] = [await join(), await join()];
  const leave = new AbortController();
  const places: boolean[] = [];
  const options = { seats: [2], clock: { bank_s: 312, increment_s: 1 } };
  const waiting = ada.queue("staufer", {
    ...options,
    signal: leave.signal,
    progress: ({ match }) => {
      places.push(match !== undefined);
      if (places.length > 2 && match === undefined) leave.abort(new Error("home"));
    },
  });
  const left = expect(waiting).rejects.toThrow("home");
  const declined = bob.queue("staufer", { ...options, accept: () => false });
  await expect(declined).rejects.toMatchObject({ reason: "declined" });
  await expect(declined).rejects.toBeInstanceOf(TicketLost);
  await left;
  expect(places).toContain(true);
  const me = await ada.me();
  await until(ada, me, () => Object.keys(me.doc.tickets).length === 0);
});

test("a failing accept fails the call and gives the ticket up", async () => {
  const [ada, bob] = [await join(), await join()];
  const options = { seats: [2], clock: { bank_s: 313, increment_s: 1 } };
  const leave = new AbortController();
  const other = bob.queue("staufer", { ...options, signal: leave.signal });
  const accept = (): never => {
    throw new Error("nobody is at home");
  };
  await expect(ada.queue("staufer", { ...options, accept })).rejects.toThrow("nobody is at home");
  leave.abort(new Error("home"));
  await expect(other).rejects.toThrow("home");
});

test("a new run of a program goes on with the ticket that is there", async () => {
  const [ada, bob] = [await join(), await join()];
  const options = { seats: [2], clock: { bank_s: 314, increment_s: 1 } };
  const { ticket } = await ada.request("queue.join", { game: "staufer", rated: false, ...options });
  const again = await join({ token: ada.token });
  const ids: string[] = [];
  const mine = again.queue("staufer", { ...options, progress: ({ id }) => ids.push(id) });
  const his = await bob.queue("staufer", options);
  expect((await mine).id).toBe(his.id);
  expect(new Set(ids)).toEqual(new Set([ticket]));
});

test("who leaves at once never joins", async () => {
  const sent: string[] = [];
  const client = await join({ WebSocket: tampered({ sent: ({ type }) => void sent.push(type) }) });
  const leave = new AbortController();
  const waiting = client.queue("staufer", { seats: [2], signal: leave.signal });
  leave.abort(new Error("home"));
  await expect(waiting).rejects.toThrow("home");
  await client.request("ping", {});
  expect(sent).toEqual(["auth", "watch", "ping"]);
}, 10_000);

test("who leaves when nobody knows whether he joined does not stay in the queue", async () => {
  let joining: number | undefined;
  const WebSocket = tampered({
    sent: ({ type, id }) => void (type === "queue.join" && (joining = id)),
    received: (frame, socket) => {
      if (joining === undefined || frame.re !== joining) return frame;
      return void socket.terminate(); // it is done, but its reply is lost
    },
  });
  const steady = await join();
  const me = await steady.me();
  const tickets = (): number => Object.keys(me.doc.tickets).length;
  const client = await join({ token: steady.token, WebSocket });
  const leave = new AbortController();
  const clock = { bank_s: 316, increment_s: 1 };
  const waiting = client.queue("staufer", { seats: [2], clock, signal: leave.signal });
  const left = expect(waiting).rejects.toThrow("home");
  await until(steady, me, () => tickets() === 1);
  leave.abort(new Error("home"));
  await left;
  await until(steady, me, () => tickets() === 0);
}, 10_000);

test("rooms of other tickets that come back are not taken for the game that began", async () => {
  const old = { game: "staufer", seat: 0, to_move: false, ticket: "aaaaaaaaab" };
  const rooms = {
    aaaaaaaaab: { ...old, status: "ended" },
    aaaaaaaaac: { ...old, status: "playing" },
  };
  const late: Frame[] = [];
  let released = false;
  let hear = (_: Frame): void => {};
  const WebSocket = tampered({
    received: (frame, socket) => {
      if (released || frame.topic !== "me") return frame;
      if (late.length === 0 && frame.patch?.rooms === undefined) return frame;
      if (late.push(frame) > 1) return undefined;
      hear = (each) => socket.emit("message", JSON.stringify(each), false);
      return { ...frame, patch: { ...frame.patch, tickets: { [mine]: null }, rooms } };
    },
  });
  let mine = "";
  const [ada, bob] = [await join({ WebSocket }), await join()];
  const options = { seats: [2], clock: { bank_s: 315, increment_s: 1 } };
  const waiting = ada.queue("staufer", { ...options, progress: ({ id }) => (mine = id) });
  const his = await bob.queue("staufer", options);
  const me = await ada.me();
  await until(ada, me, () => "aaaaaaaaab" in me.doc.rooms);
  released = true;
  for (const frame of late) hear({ ...frame, seq: frame.seq + 1 });
  expect((await waiting).id).toBe(his.id);
}, 20_000);
