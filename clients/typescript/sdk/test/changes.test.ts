/** How an iteration over changes ends, and how a game does that is let go. */

import { expect, test } from "vitest";
import { Changes } from "../src/changes.js";
import { ConnectionLost, Document } from "../src/index.js";
import { game, InTurn, join, until } from "./clients.js";

const lobby = (): Document => new Document("lobby", { online: 1 });

test("what happened before an error is handed out first, once", async () => {
  const changes = new Changes(lobby(), true, () => {});
  await changes.next();
  changes.changed([{ type: "last" }]);
  changes.connection(false);
  changes.finish(new ConnectionLost("gone"));
  const { value } = await changes.next();
  expect(value).toMatchObject({ events: [{ type: "last" }], complete: true, online: false });
  await expect(changes.next()).rejects.toThrow("gone");
  await expect(changes.next()).rejects.toThrow("gone");
});

test("the loss of the connection alone is no change before the error", async () => {
  const changes = new Changes(lobby(), true, () => {});
  await changes.next();
  changes.connection(false);
  changes.finish(new ConnectionLost("gone"));
  await expect(changes.next()).rejects.toThrow("gone");
});

test("a document that was let go has no changes, one that is watched anew has", async () => {
  const client = await join();
  const old = await client.lobby();
  await client.unwatch(old);
  expect(await client.changes(old).next()).toEqual({ done: true, value: undefined });
  const watched = await client.lobby();
  expect(await client.changes(old).next()).toEqual({ done: true, value: undefined });
  expect(await client.changes(watched).next()).toMatchObject({ done: false });
});

test.each(["unwatch", "close"] as const)("a game that goes on has no result: %s", async (how) => {
  const client = await join();
  const table = await game(client, "famiglia");
  let asked = 0;
  const choose = ({ legal }: typeof table) => {
    if (++asked > 1) throw new Error("asked again");
    setTimeout(() => void (how === "close" ? client.close() : client.unwatch(table)), 0);
    return new Promise<(typeof legal)[number]>((resolve) => setTimeout(resolve, 20, legal[0]));
  };
  await expect(client.play({ choose }, table)).rejects.toBeInstanceOf(ConnectionLost);
  expect(table.status).toBe("playing");
  await expect(client.play({ choose }, table)).rejects.toBeInstanceOf(ConnectionLost);
});

test("a game that has ended has its result, also when it was let go", async () => {
  const client = await join();
  const table = await game(client, "famiglia");
  await client.resign(table);
  await until(client, table, () => table.status === "ended");
  await client.unwatch(table);
  expect(await client.play(new InTurn(), table)).toMatchObject({ reason: "resigned" });
});
