/** What a bot is, and how it plays a seat to the end. */

import { ConnectionLost, RefusedError } from "./errors.js";
import type { Link } from "./link.js";
import type { Action, Table } from "./table.js";

/**
 * Picks an entry of the legal list: any object with the method `choose` is a bot.
 *
 * While `choose` reckons without an `await`, nothing else runs on the page or in the program; a bot
 * that takes long does so in a worker and returns a promise.
 */
export interface Bot<G extends string = string> {
  /** One entry of `table.legal`. Called only when this seat has to decide. */
  choose(table: Table<G>): Action<G> | Promise<Action<G>>;
  /** Told once at the end of a game: `table.result` says how it ended. */
  ended?(table: Table<G>): void | Promise<void>;
  /** Let go of what the bot holds. Whoever made the bot calls it, last and once. */
  close?(): void | Promise<void>;
}

/** Ask a bot for answers in turn until the game has ended, and tell it. `client.play` is this. */
export async function play<G extends string>(
  link: Link,
  bot: Bot<G>,
  table: Table<G>,
): Promise<void> {
  const { seat } = table;
  if (seat === undefined) throw new RangeError("you have no seat at this table");
  let asked: number | undefined; // the decision at which the seat was asked for
  for await (const _ of link.changes(table)) {
    if (table.status === "ended") break;
    const { seats, turn } = table.doc;
    const replaced = table.status === "playing" && seats[seat]?.bot !== undefined;
    if (!replaced) asked = undefined;
    else if (turn?.decision !== asked)
      asked = (await takeBack(link, table.id)) ? turn?.decision : undefined;
    await answer(link, bot, table);
  }
  if (table.status !== "ended")
    throw new ConnectionLost("the table was let go before the game was over");
  await bot.ended?.(table.snapshot());
}

async function answer<G extends string>(link: Link, bot: Bot<G>, table: Table<G>): Promise<void> {
  const { id: room, decision, epoch, seq } = table;
  if (decision === undefined) return;
  const action = await bot.choose(table.snapshot());
  if (table.decision !== decision) return;
  try {
    await unlessOvertaken(link.request({ type: "act", room, decision, action }));
  } catch (error) {
    const asSeen = table.epoch === epoch && table.seq === seq;
    if (asSeen || !(error instanceof RefusedError)) throw error;
    // refused because the table has changed meanwhile: that change asks the bot again
  }
}

/**
 * Ask for the own seat, which is refused while it is up to the bot to answer a decision whose time
 * is up. False: the answer got lost; a change comes with the connection.
 */
async function takeBack(link: Link, room: string): Promise<boolean> {
  try {
    await unlessOvertaken(link.request({ type: "room.join", room }));
  } catch (error) {
    if (error instanceof ConnectionLost) return false;
    throw error;
  }
  return true;
}

/** Await a request that may come too late: then the next change tells what is to be done. */
async function unlessOvertaken(request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    const late = ["stale_decision", "not_your_decision", "conflict"];
    if (!(error instanceof RefusedError) || !late.includes(error.code)) throw error;
  }
}
