import { expect, test } from "vitest";
import { ConnectionLost, RefusedError, type Bot } from "../src/index.js";
import { game, InTurn, join, until } from "./clients.js";

test("a whole game of Famiglia", async () => {
  const client = await join({ name: "ada", bot: true });
  expect(client.user.kind).toBe("bot");
  const table = await game(client, "famiglia");
  const result = await client.play(new InTurn(), table);
  expect(table.status).toBe("ended");
  expect(result.reason).toMatch(/last_card|two_passes/);
  expect(Object.keys(result.scores ?? {})).toEqual(["0", "1"]);
});

test("a whole game of Die Staufer, by a bot that takes its time", async () => {
  const client = await join();
  const table = await game(client, "staufer", 3);
  const bot = new InTurn<"staufer">();
  const told: unknown[] = [];
  const slow: Bot<"staufer"> = {
    choose: async (seen) => Promise.resolve(bot.choose(seen)),
    ended: async (seen) => void told.push(await Promise.resolve(seen.result)),
    close: () => void told.push("closed by whoever made it"),
  };
  const result = await client.play(slow, table);
  expect(result.reason).toBe("rounds_done");
  expect(told).toEqual([result]);
  expect(table.view?.round).toBeGreaterThan(1);
  await client.unwatch(table);
});

test("a bot whose answer is refused is asked again, if the table has changed meanwhile", async () => {
  const [client, other] = [await join(), await join()];
  const table = await game(client, "famiglia");
  const bot = new InTurn<"famiglia">();
  const absent = { type: "take", card: "F4" } as const;
  let asked = 0;
  const late = async (seen: typeof table): Promise<typeof absent> => {
    await other.watchRoom(table.id);
    await until(client, table, () => table.doc.spectators > seen.doc.spectators);
    return absent;
  };
  const choose = (seen: typeof table) => (++asked === 1 ? late(seen) : bot.choose(seen));
  expect(await client.play({ choose }, table)).toBe(table.result);
  expect(asked).toBeGreaterThan(2);
  const again = await game(client, "famiglia");
  const wrong = client.play({ choose: () => absent }, again);
  await expect(wrong).rejects.toMatchObject({ code: "illegal_action" });
});

test("what a table shows", async () => {
  const client = await join({ name: "ada" });
  const table = await client.createRoom("famiglia", {
    seats: 2,
    visibility: "private",
    options: { open_hands: true },
    clock: { bank_s: 300, increment_s: 5 },
    onTimeout: "forfeit",
    seed: "7".repeat(64),
  });
  expect([table.game, table.seats, table.status, table.turn]).toEqual([
    "famiglia",
    2,
    "open",
    undefined,
  ]);
  expect(table.you?.invite).toMatch(/\w+/);
  await client.addBot(table, "greedy"); // who does not pass, which would end the game
  await client.ready(table);
  await until(client, table, () => table.decision !== undefined);
  const seen = table.snapshot();
  expect([table.seat, table.turn, table.options.open_hands]).toEqual([0, 0, true]);
  expect(table.legal.length).toBeGreaterThan(table.default ?? NaN);
  expect(table.view?.pile).toBeGreaterThan(0);
  expect(table.you?.hand).toHaveLength(4);
  expect(table.banksMs).toEqual({ 0: 300_000, 1: 300_000 });
  expect(table.deadline).toBeGreaterThan(0);
  expect(table.timeLeftMs[0]).toBeLessThanOrEqual(300_000);
  expect(table.timeLeftMs[0]).toBeGreaterThan(270_000);
  await client.act(table, "default");
  expect(table.decision).not.toBe(seen.decision);
  expect(seen.seq).toBeLessThan(table.seq);
  await client.resign(table);
  await until(client, table, () => table.result !== undefined);
  expect(table.result).toMatchObject({ reason: "resigned", placement: { "0": 2, "1": 1 } });
  await expect(client.act(table, 0)).rejects.toThrow(RangeError);
});

test("a refusal says which rule, where, and what is legal", async () => {
  const client = await join();
  const table = await game(client, "famiglia");
  await until(client, table, () => table.decision !== undefined);
  const { decision, legal } = table;
  const absent = { type: "take", card: "F4" } as const;
  const refused = await client.act(table, absent).catch((error: unknown) => error);
  if (!(refused instanceof RefusedError)) throw refused;
  const { code, path, rule, text } = refused;
  expect(text).toMatch(/^\w.+/);
  expect(refused.message).toBe(`${code}: ${text} (at ${path}) [${rule}]`);
  expect(refused).toMatchObject({ code: "illegal_action", decision, legal, seq: table.seq });
  expect(refused).toMatchObject({ rule: expect.stringMatching(/^\w+$/), path: "/action/card" });
  await expect(client.act(table, 999)).rejects.toMatchObject({ rule: "no_such_choice" });
  await client.act(table, legal[0]!);
  const late = client.request("act", { room: table.id, decision: decision!, choice: 1 });
  await expect(late).rejects.toMatchObject({ code: "stale_decision" });
});

test("two people: joining, inviting, talking, playing again", async () => {
  const [ada, bob] = [await join({ name: "ada" }), await join({ name: "bob" })];
  const mine = await ada.createRoom("famiglia", { seats: 2, visibility: "private" });
  await ada.invite(mine, bob.user.id);
  const me = await bob.me();
  await until(bob, me, () => mine.id in me.doc.invitations);
  const his = await bob.joinRoom<"famiglia">(mine.id, { nonce: "bob" });
  expect(await bob.watchRoom(mine.id)).toBe(his);
  await ada.chat(mine, "for those who sit", "players");
  await ada.chat(mine, "for all");
  const lines: string[] = [];
  for await (const { notices } of bob.changes(his)) {
    for (const notice of notices) if ("text" in notice) lines.push(notice.text);
    if (lines.length === 2) break;
  }
  expect(lines.sort()).toEqual(["for all", "for those who sit"]);
  await ada.ready(mine, { nonce: "ada" });
  await ada.ready(mine, false);
  await until(ada, mine, () => mine.doc.seats[0]?.ready !== true);
  await Promise.all([ada.ready(mine), bob.ready(his)]);
  const results = Promise.all([ada.play(new InTurn(), mine), bob.play(new InTurn(), his)]);
  const [result, same] = await results;
  expect(result).toEqual(same);
  expect(mine.doc.fairness.nonces).toEqual({ 0: "ada", 1: "bob" });
  const again = await ada.rematch(mine);
  expect([again.id === mine.id, again.seat]).toEqual([false, 0]);
  await until(bob, his, () => his.doc.rematch === again.id);
  const games = [];
  for await (const each of bob.games()) games.push(each.room);
  expect(games).toEqual([mine.id]);
});

test("hosting: settings, seats, the lobby", async () => {
  const [ada, bob] = [await join({ name: "ada" }), await join({ name: "bob" })];
  const table = await ada.createRoom("staufer", { seats: 3, sit: false });
  const lobby = await ada.lobby("staufer");
  await until(ada, lobby, () => table.id in lobby.doc.rooms);
  expect((await ada.lobby()).doc.games["staufer"]?.open).toBeGreaterThan(0);
  await bob.joinRoom(table.id, { seat: 2 });
  expect(await ada.addBot(table, "random", 0)).toBe(0);
  await ada.remove(table, 0);
  await ada.update(table, { clock: { per_turn_s: 60 }, onTimeout: "bot" });
  await until(ada, table, () => table.doc.clock !== undefined);
  expect(table.doc.on_timeout).toBe("bot");
  await ada.host(table, 2);
  await until(ada, table, () => table.doc.host === bob.user.id);
  await bob.leave(table.id);
  await until(ada, table, () => table.status === "ended");
  expect((await ada.leaderboard("staufer")).doc.ladders).toBeDefined();
});

test("accounts, bot accounts and tokens; an unknown token stops the client", async () => {
  const name = `ada${Date.now() % 1e9}`;
  const password = "correct horse";
  const ada = await join({ name });
  expect(await ada.register(name, password)).toMatchObject({ name, kind: "person" });
  const token = await ada.createToken("at home", { scopes: ["play"], bot: `${name}-bot` });
  expect(await ada.listTokens()).toMatchObject([{ name: "at home", scopes: ["play"] }]);
  const bot = await join({ token });
  expect(bot.user).toMatchObject({ name: `${name}-bot`, kind: "bot" });
  const lobby = await bot.lobby();
  await ada.revokeToken("at home");
  const read = async (): Promise<void> => {
    for await (const _ of bot.changes(lobby));
  };
  await expect(read()).rejects.toMatchObject({ code: 4401 });
  await expect(bot.me()).rejects.toBeInstanceOf(ConnectionLost);
  const unknown = { name: "ConnectionLost", code: 4401, reason: "the token is unknown" };
  await expect(join({ token })).rejects.toMatchObject(unknown);
  await expect(join({ login: { name, password: "wrong" } })).rejects.toBeInstanceOf(RefusedError);
  const again = await join({ login: { name, password } });
  expect(again.user.id).toBe(ada.user.id);
  expect(await again.rename(`${name}x`, password)).toMatchObject({ name: `${name}x` });
  await again.changePassword(password, "battery staple");
  await expect(ada.me()).rejects.toMatchObject({ code: 4401 });
  await again.deleteAccount("battery staple");
});

test("no server, no address, no user", async () => {
  await expect(join({}, "ws://127.0.0.1:9/ws")).rejects.toThrow(/ECONNREFUSED/);
  await expect(join({}, "nowhere")).rejects.toThrow("not a WebSocket address: nowhere");
  await expect(join({ name: "!" })).rejects.toMatchObject({ code: "bad_message", path: "/name" });
});
