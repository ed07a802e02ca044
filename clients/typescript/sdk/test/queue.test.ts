import { expect, test } from "vitest";
import { TicketLost, type Ticket } from "../src/index.js";
import { join, until } from "./clients.js";

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
  const declined = bob.queue("staufer", { ...options, accept: () => false });
  await expect(declined).rejects.toMatchObject({ reason: "declined" });
  await expect(declined).rejects.toBeInstanceOf(TicketLost);
  await expect(waiting).rejects.toThrow("home");
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
