/** The client: one user's connection to a server, with a method for each message. */

import { play, type Bot } from "./bot.js";
import type { Changes } from "./changes.js";
import { HoftagError } from "./errors.js";
import type { Link } from "./link.js";
import type { Fields, Message, ReplyTo, RequestType } from "./protocol/requests.js";
import type {
  GameLobby,
  Hello,
  Leaderboard,
  Lobby,
  Me,
  PlayedGame,
  RoomResult,
  TokenCreate,
  TokenInfo,
  User,
} from "./protocol/schema.js";
import { enqueue, type QueueOptions } from "./queue.js";
import type { Action, Document, Options, Table } from "./table.js";

/** A room by its id, or as a table. */
type RoomRef = Table | string;
type CreateFields = Fields<"room.create">;

/** Settings of a new room. */
export interface RoomOptions<G extends string = string> {
  /** The exact number of players. */
  readonly seats: number;
  readonly options?: Options<G> | undefined;
  /** `public` by default; a private room's invite is `table.you.invite`. */
  readonly visibility?: "public" | "private" | undefined;
  readonly rated?: boolean | undefined;
  /** `{ bank_s, increment_s }` or `{ per_turn_s }`; without it nobody's time is measured. */
  readonly clock?: CreateFields["clock"];
  /** What happens when a time is up, or somebody leaves. */
  readonly onTimeout?: CreateFields["on_timeout"];
  /** 64 hex digits that fix all chance, which the room then says openly. */
  readonly seed?: string | undefined;
  /** Take seat 0; true by default. */
  readonly sit?: boolean | undefined;
  /** Your share of a fair shuffle. */
  readonly nonce?: string | undefined;
}

/** Settings that the host of an open room may change; `options` are all of them anew. */
export type RoomChanges<G extends string = string> = Partial<
  Pick<RoomOptions<G>, "options" | "seats" | "visibility" | "clock" | "onTimeout">
>;

/** An answer to a decision: an entry of `table.legal`, its index, or the default action. */
export type Answer<G extends string = string> = Action<G> | number | "default";

/**
 * A user at a server; made by `connect`.
 *
 * Methods that name a room take a `Table` or a room's id. Each of them rejects with RefusedError when
 * the server refuses, and with ConnectionLost when the answer got lost or there is no connection any
 * more. Whoever calls while the client reconnects waits for it.
 */
export class Client {
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  // --- who and where -------------------------------------------------------------------------

  /** Who you are: `id`, `name` and `kind`. */
  get user(): User {
    return known(this.#link.session.signing.user);
  }

  /** The secret that makes you this user again in `connect`. */
  get token(): string {
    return known(this.#link.session.signing.token);
  }

  /** What the server said first: `games`, `limits`, `features` and `server`. */
  get hello(): Hello {
    return known(this.#link.session.signing.hello);
  }

  /** Whether there is a connection at the moment. */
  get online(): boolean {
    return this.#link.session.ready;
  }

  /** Disconnect for good. */
  close(): void {
    this.#link.close();
  }

  /** Send any message of the protocol; its `ok`. For messages that have no method of their own. */
  request<T extends RequestType>(type: T, fields: Fields<T>): Promise<ReplyTo<T>> {
    return this.#link.request<T>({ ...fields, type } as Message & { type: T });
  }

  // --- documents -----------------------------------------------------------------------------

  /** Your account: rooms that you are part of, tickets, invitations, ratings. */
  me(): Promise<Document<Me>> {
    return this.#link.watch("me");
  }

  /** The lobby: counts for all games, or the public rooms of one. */
  lobby(): Promise<Document<Lobby>>;
  lobby(game: string): Promise<Document<GameLobby>>;
  lobby(game?: string): Promise<Document<Lobby> | Document<GameLobby>> {
    return this.#link.watch(game === undefined ? "lobby" : `lobby:${game}`);
  }

  /** The best 100 of a game, by pool (`people`, `bots`) and seat class (`2`, `3-5`). */
  leaderboard(game: string): Promise<Document<Leaderboard>> {
    return this.#link.watch(`leaderboard:${game}`);
  }

  /**
   * A room's document, kept up to date. Watching the same room again gives the same table.
   *
   * A private room needs its `invite`, unless you are part of it. Name the game to have its types:
   * `watchRoom<"famiglia">(room)`.
   */
  watchRoom<G extends string = string>(room: string, invite?: string): Promise<Table<G>> {
    return this.#link.watch(`room:${room}`, invite);
  }

  /** Keep a document up to date no longer. Do this with finished games. */
  unwatch<D extends object>(document: Document<D>): Promise<void> {
    return this.#link.unwatch(document.topic);
  }

  /**
   * The changes of a watched document: `for await (const change of client.changes(document))`.
   *
   * The first comes at once and stands for the document as it is. A slow reader gets several changes
   * in one, and the newest document always.
   */
  changes<D extends object>(document: Document<D>): Changes<D> {
    return this.#link.changes(document);
  }

  // --- rooms ---------------------------------------------------------------------------------

  /** Open a room for exactly `seats` players, and watch it. You are its host. */
  async createRoom<G extends string>(game: G, settings: RoomOptions<G>): Promise<Table<G>> {
    const { onTimeout: on_timeout, visibility = "public", ...rest } = settings;
    const { room } = await this.request("room.create", { ...rest, game, visibility, on_timeout });
    return this.watchRoom<G>(room);
  }

  /**
   * Take a seat, the lowest free one unless you name it, and watch the room.
   *
   * In a running game this takes your own seat back from the bot that plays for you; as long as
   * that answers a decision whose time is up, it is a RefusedError `conflict`. The table has no
   * `seat` if you have lost it again in the meantime.
   */
  async joinRoom<G extends string = string>(
    room: string,
    options: Omit<Fields<"room.join">, "room"> = {},
  ): Promise<Table<G>> {
    await this.request("room.join", { ...options, room });
    const table = await this.watchRoom<G>(room, options.invite ?? undefined);
    if (table.seat !== undefined) return table;
    return this.#link.watch(table.topic, undefined, true); // watched before, it may not be so far
  }

  /** Leave your seat. In a running game the room's `on_timeout` says what comes of it. */
  async leave(table: RoomRef): Promise<void> {
    await this.request("room.leave", { room: idOf(table) });
  }

  /**
   * Say that you are ready, or with `false` that you are not. The game starts when every seat is
   * taken and ready. `nonce` is your share of a fair shuffle, given when the server has committed
   * itself.
   */
  async ready(
    table: RoomRef,
    how: boolean | { readonly nonce?: string | undefined } = true,
  ): Promise<void> {
    const { nonce } = typeof how === "boolean" ? {} : how;
    await this.request("room.ready", { room: idOf(table), ready: how !== false, nonce });
  }

  /** Start without waiting for the others to be ready (host). */
  async start(table: RoomRef): Promise<void> {
    await this.request("room.start", { room: idOf(table) });
  }

  /** Give the game up. */
  async resign(table: RoomRef): Promise<void> {
    await this.request("room.resign", { room: idOf(table) });
  }

  /** Play again with the same settings and seats: the new room, with you on your seat. */
  async rematch<G extends string>(table: Table<G>): Promise<Table<G>> {
    const { room } = await this.request("room.rematch", { room: table.id });
    return this.watchRoom<G>(room);
  }

  /** Change the settings of an open room (host). Nobody is ready any more. */
  async update(table: RoomRef, { onTimeout, ...rest }: RoomChanges): Promise<void> {
    await this.request("room.update", { ...rest, room: idOf(table), on_timeout: onTimeout });
  }

  /** Seat one of the server's own bots, `hello.games[game].bots` (host); its seat. */
  async addBot(table: RoomRef, bot: string, seat?: number): Promise<number> {
    return (await this.request("room.add_bot", { room: idOf(table), bot, seat })).seat;
  }

  /** Free a seat of an open room (host). */
  async remove(table: RoomRef, seat: number): Promise<void> {
    await this.request("room.remove", { room: idOf(table), seat });
  }

  /** Make the person on `seat` the host, in your place. */
  async host(table: RoomRef, seat: number): Promise<void> {
    await this.request("room.host", { room: idOf(table), seat });
  }

  /** Invite a user, by id or name; it shows up in his `me` document. */
  async invite(table: RoomRef, user: string, seat?: number): Promise<void> {
    await this.request("room.invite", { room: idOf(table), user, seat });
  }

  /** Say something, in at most 500 characters, to the players or to all in the room. */
  async chat(table: RoomRef, text: string, to: "players" | "all" = "all"): Promise<void> {
    await this.request("room.chat", { room: idOf(table), text, to });
  }

  // --- playing -------------------------------------------------------------------------------

  /**
   * Answer the decision that waits for you; returns when `table` shows it done.
   *
   * After a lost connection the answer is sent again, which cannot act twice. Throws RangeError when
   * no decision waits, RefusedError `stale_decision` when it was answered otherwise in the meantime,
   * for instance by the clock.
   */
  async act<G extends string>(table: Table<G>, answer: Answer<G>): Promise<void> {
    const { id: room, decision } = table;
    if (decision === undefined) throw new RangeError("no decision waits for this seat");
    const choice = typeof answer === "number" ? answer : undefined;
    const action = typeof answer === "object" ? answer : undefined;
    const byDefault = answer === "default" ? true : undefined;
    await this.request("act", { room, decision, choice, action, default: byDefault });
  }

  /**
   * Let a bot play your seat to the end of the game; the result.
   *
   * If a bot of the server got hold of the seat, because time was up or the connection away, the
   * seat is taken back; a decision whose time is up stays with that bot. Throws RangeError if you
   * have no seat, RefusedError if your bot picks what is not on the list, ConnectionLost if the
   * table is let go, or the client closed, before the game is over.
   */
  async play<G extends string>(bot: Bot<G>, table: Table<G>): Promise<RoomResult> {
    await play(this.#link, bot, table);
    return table.result ?? { reason: "abandoned" };
  }

  /**
   * Wait for opponents; the table, where the game is running already and watched.
   *
   * If others are not ready, you wait on in your place, which survives restarts of the server, and
   * lost connections that take less than `hello.limits.abandon_after_s` seconds. A ticket for the
   * same table that you have already, for instance from a run of the program before, is gone on
   * with. If `signal` comes too late, the game is in `me`.
   *
   * Rejects with TicketLost when you were not ready or the ticket is gone, for instance because you
   * were away for too long (`unknown`, some seconds after you are back).
   */
  async queue<G extends string>(game: G, options: QueueOptions): Promise<Table<G>> {
    return this.watchRoom<G>(await enqueue(this.#link, game, options));
  }

  /** All finished games, the newest first: your own, or those of a user (id or name). */
  async *games(user?: string): AsyncGenerator<PlayedGame, void, undefined> {
    for (let before: string | undefined; ;) {
      const page = await this.request("games.list", { user, before, limit: 50 });
      yield* page.games;
      before = page.next;
      if (before === undefined) return;
    }
  }

  // --- accounts and tokens -------------------------------------------------------------------

  /**
   * Become a registered user: you keep your token, your rooms and your games.
   *
   * Afterwards `connect(url, { login: { name, password } })` makes you this user from anywhere.
   */
  async register(name: string, password: string): Promise<User> {
    const { user } = await this.request("account.register", { name, password });
    return (this.#link.session.signing.user = user);
  }

  /** Take another name; the old one becomes free. */
  async rename(name: string, password: string): Promise<User> {
    const { user } = await this.request("account.rename", { name, password });
    return (this.#link.session.signing.user = user);
  }

  /**
   * Take another password. Your token stays valid; all other logins of yours end, tokens made by
   * `createToken` stay. Servers that can do it have `account.password` in `hello.features`.
   */
  async changePassword(password: string, next: string): Promise<void> {
    await this.request("account.password", { password, new: next });
  }

  /** Delete your account, your bots and all tokens, for good; the server then disconnects you. */
  async deleteAccount(password: string): Promise<void> {
    await this.request("account.delete", { password });
  }

  /**
   * A token for a program of yours; `name` tells it from your others. With `bot` it is for your bot
   * account of that name, which is made if it is new. Keep the token, it is shown only once.
   */
  async createToken(
    name: string,
    { scopes = ["play", "watch"], bot }: { scopes?: TokenCreate["scopes"]; bot?: string } = {},
  ): Promise<string> {
    return (await this.request("token.create", { name, scopes, bot })).token;
  }

  /** The tokens that you made. */
  async listTokens(): Promise<TokenInfo[]> {
    return (await this.request("token.list", {})).tokens;
  }

  /** Make a token invalid at once. */
  async revokeToken(name: string): Promise<void> {
    await this.request("token.revoke", { name });
  }
}

function idOf(table: RoomRef): string {
  return typeof table === "string" ? table : table.id;
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new HoftagError("not connected yet");
  return value;
}
