/** A network that goes away without a word, with time that the test makes pass. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Client } from "../src/index.js";
import { join } from "./clients.js";
import { tampered } from "./tampering.js";

beforeEach(
  () => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }),
);
afterEach(() => void vi.useRealTimers());

/** A client that is online; `hush` lets nothing through any more, or all again. */
async function talking() {
  let silent = false;
  const asked: string[] = [];
  const WebSocket = tampered({
    sent: ({ type }) => void asked.push(type),
    received: (frame) => {
      if (frame.type === "hello") return { ...frame, heartbeat_s: 20 };
      return silent ? undefined : frame;
    },
  });
  const client = await join({ WebSocket, reconnect: false });
  asked.splice(0);
  return { client, asked, hush: (yes = true) => (silent = yes) };
}

/** Let time pass, up to the moment just before and then to that moment. */
function after(seconds: number, look: () => unknown): unknown[] {
  vi.advanceTimersByTime(seconds * 1000 - 1);
  const before = look();
  vi.advanceTimersByTime(1);
  return [before, look()];
}

const online = (client: Client) => () => client.online;

test("without requests: asked after a heartbeat, lost after a second", async () => {
  const { client, asked, hush } = await talking();
  hush();
  expect(after(20, () => asked.length)).toEqual([0, 1]);
  expect([asked, after(20, online(client))]).toEqual([["ping"], [true, false]]);
});

test("with a request under way: asked after 5 s, lost after 5 more", async () => {
  const { client, asked, hush } = await talking();
  hush();
  const reply = client.request("games.list", {});
  expect(after(5, () => asked.length)).toEqual([1, 2]);
  expect([asked, after(5, online(client))]).toEqual([
    ["games.list", "ping"],
    [true, false],
  ]);
  await expect(reply).rejects.toThrow("the server has fallen silent");
});

test("reckoned is from the last frame, and whoever answers lives", async () => {
  const { client, asked, hush } = await talking();
  vi.advanceTimersByTime(19_000);
  await client.request("ping", {});
  expect(after(20, () => asked.length)).toEqual([1, 2]);
  await client.request("games.list", {}); // the answer to what was asked comes before
  expect(after(20, () => asked.length)).toEqual([3, 4]);
  hush();
  expect(after(20, online(client))).toEqual([true, false]);
});
