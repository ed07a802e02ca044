/**
 * Waiting for opponents: from a wish to a table, through lost connections and restarts.
 *
 * The server keeps the ticket, and `me` shows it, so nothing is kept here that could get lost: after
 * each change of `me` it is looked up what became of the ticket.
 */

import type { Change, Changes } from "./changes.js";
import { now } from "./clock.js";
import { deferred, type Deferred } from "./deferred.js";
import { ConnectionLost, RefusedError, TicketLost } from "./errors.js";
import type { Link } from "./link.js";
import { canonical } from "./protocol/patch.js";
import type { Message } from "./protocol/requests.js";
import type { Bank, Me, MyTicket, PerTurn, ReadyCheck } from "./protocol/schema.js";
import type { Document } from "./table.js";

/** A ticket that is gone has become a room or was lost; `me` shows which a moment later. */
const GRACE_MS = 5000;
/** How long whoever gives up waits for the server to take note of it. */
const LEAVE_MS = 2000;

type Wish = Extract<Message, { type: "queue.join" }>;

/** A place in a queue; `doc` is what `me.tickets` shows of it. */
export class Ticket {
  constructor(
    readonly id: string,
    readonly doc: MyTicket,
  ) {}

  /** The name of the game. */
  get game(): string {
    return this.doc.game;
  }

  /** How many stand in the queue up to here, from 1. */
  get place(): number {
    return this.doc.place;
  }

  /** How long others like you waited of late; undefined if nobody was matched of late. */
  get expectedWaitS(): number | undefined {
    return this.doc.expected_wait_s;
  }

  /** The ready check, once opponents are found: `deadline` (unix ms), `accepted`, `of`. */
  get match(): ReadyCheck | undefined {
    return this.doc.match;
  }
}

export interface QueueOptions {
  /** All numbers of players that you take; the larger table is preferred. */
  readonly seats: readonly number[];
  /** A rated game, among people or among bots; without it everybody meets. */
  readonly rated?: boolean | undefined;
  readonly clock?: Bank | PerTurn | undefined;
  /** From that wait on, bots of the server take free seats; casual games only. */
  readonly fillWithBotsAfterS?: number | undefined;
  /**
   * Asked when opponents are found, until `ticket.match.deadline`. `over` is aborted when the match
   * fails before that. Without it you are always ready.
   */
  readonly accept?: ((ticket: Ticket, over: AbortSignal) => boolean | Promise<boolean>) | undefined;
  /** Called with each new version of the ticket. */
  readonly progress?: ((ticket: Ticket) => void) | undefined;
  /** Leaves the queue when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** The room that a wish for opponents became. `client.queue` is this, and watches the room. */
export async function enqueue(link: Link, game: string, options: QueueOptions): Promise<string> {
  const { rated = false, clock, fillWithBotsAfterS: fill_with_bots_after_s, signal } = options;
  const seats = [...new Set(options.seats)].sort((a, b) => a - b);
  const wish: Wish = { type: "queue.join", game, seats, rated, clock, fill_with_bots_after_s };
  const broken = deferred<never>();
  broken.promise.catch(() => {}); // told to whoever waits at that moment
  const abort = (): void => broken.reject(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener("abort", abort);
  try {
    const me = await Promise.race([broken.promise, link.watch<Document<Me>>("me")]);
    return await new Wait(link, wish, options, me, broken).room();
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

/** One ticket on its way to a room. */
class Wait {
  readonly #link: Link;
  readonly #wish: Wish;
  readonly #options: QueueOptions;
  /** Rejected by what ends the wait from outside: the caller's signal, or a failing `accept`. */
  readonly #broken: Deferred<never>;
  #me: Document<Me>;
  #changes: Changes<Me>;
  #rooms: Set<string>;
  #joining: Promise<{ ticket: string }> | undefined;
  #id: string | undefined;
  #ticket: Ticket | undefined;
  #goneSince: number | undefined;
  #declined = false;
  #asked: number | undefined;
  #answering: AbortController | undefined;

  constructor(
    link: Link,
    wish: Wish,
    options: QueueOptions,
    me: Document<Me>,
    broken: Deferred<never>,
  ) {
    this.#link = link;
    this.#wish = wish;
    this.#options = options;
    this.#broken = broken;
    this.#me = me;
    this.#changes = link.changes(me);
    this.#rooms = new Set(Object.keys(me.doc.rooms));
  }

  async room(): Promise<string> {
    try {
      this.#id = await this.#enter();
      for (;;) {
        const room = this.#look(await this.#change());
        if (room !== undefined) return room;
      }
    } catch (error) {
      await this.#leave(); // after that `me` does not show the ticket any more
      throw error;
    } finally {
      this.#ask(undefined);
      await this.#changes.return();
    }
  }

  #unlessBroken<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#broken.promise]);
  }

  // --- in and out ----------------------------------------------------------------------------

  /**
   * The id of the ticket: one that is there already, or a new one. Undefined if the answer got
   * lost, and the ticket has become a room in the meantime.
   */
  async #enter(): Promise<string | undefined> {
    for (let lost = false; ;) {
      const held = this.#held(lost);
      if (held !== undefined) return held;
      if (lost && this.#room() !== undefined) return undefined;
      this.#joining = this.#link.request(this.#wish);
      try {
        return (await this.#unlessBroken(this.#joining)).ticket;
      } catch (error) {
        if (error instanceof ConnectionLost) {
          lost = true;
          this.#me = await this.#watchMe(); // once up to date, it shows what was done
        } else if (lost && error instanceof RefusedError && error.code === "conflict") {
          await this.#shown(); // it was done, although `me` did not show it yet
        } else throw error;
      }
    }
  }

  #watchMe(): Promise<Document<Me>> {
    return this.#unlessBroken(this.#link.watch<Document<Me>>("me"));
  }

  /** Wait until `me` shows a ticket, or what became of it. */
  async #shown(): Promise<void> {
    this.#goneSince = now();
    while (this.#held(true) === undefined && this.#room() === undefined) await this.#change();
  }

  /** A ticket for the game that `me` shows: for the same wish, or whatever it is for. */
  #held(whatever: boolean): string | undefined {
    const { game, seats, rated, clock = null } = this.#wish;
    const wish = canonical([seats, rated, clock]);
    const fits = (row: MyTicket): boolean =>
      row.game === game &&
      (whatever || canonical([row.seats, row.rated, row.clock ?? null]) === wish);
    return Object.entries(this.#me.doc.tickets).find(([, row]) => fits(row))?.[0];
  }

  /** Give the ticket up, also one that was asked for just now. */
  async #leave(): Promise<void> {
    const left = async (): Promise<void> => {
      const ticket = this.#id ?? (await this.#joined());
      if (ticket !== undefined) await this.#link.request({ type: "queue.leave", ticket });
    };
    await within(
      LEAVE_MS,
      left().catch(() => {}),
    );
  }

  /** The ticket that was asked for, also where the answer got lost. */
  async #joined(): Promise<string | undefined> {
    try {
      return (await this.#joining)?.ticket;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      this.#me = await this.#link.watch("me"); // once up to date, it shows what was done
      return this.#held(false);
    }
  }

  // --- what becomes of it --------------------------------------------------------------------

  /** The next change of `me`. Throws TicketLost if the ticket stays gone. */
  async #change(): Promise<Change<Me>> {
    const seen = this.#me.doc;
    const left = this.#goneSince === undefined ? undefined : this.#goneSince + GRACE_MS - now();
    const inTime = await within(left, this.#unlessBroken(this.#changes.wait()));
    const change = inTime ? this.#changes.take() : undefined;
    if (change !== undefined) return change;
    this.#me = await this.#watchMe(); // takes as long as there is no connection
    if (!inTime && this.#me.doc === seen)
      throw new TicketLost(this.#declined ? "declined" : "unknown");
    await this.#changes.return();
    this.#changes = this.#link.changes(this.#me); // those of before may have been ended
    const { doc } = this.#me;
    return this.#changes.take() ?? { doc, events: [], notices: [], complete: false, online: false };
  }

  /** See what became of the ticket: the room, if it is one by now. Throws TicketLost. */
  #look({ notices }: Change<Me>): string | undefined {
    const { doc } = this.#me;
    for (const notice of notices) {
      if (notice.type !== "notice" || notice.kind !== "match_failed") continue;
      if (notice.ticket === this.#id && !notice.requeued)
        throw new TicketLost(notice.yours ?? "unknown");
    }
    const row = this.#id === undefined ? undefined : doc.tickets[this.#id];
    if (this.#id === undefined || row === undefined) {
      this.#goneSince ??= now();
      this.#ask(undefined);
      return this.#room();
    }
    this.#goneSince = undefined;
    if (canonical(row) === canonical(this.#ticket?.doc ?? null)) return undefined;
    this.#ticket = new Ticket(this.#id, row);
    this.#ask(this.#ticket);
    this.#options.progress?.(this.#ticket);
    return undefined;
  }

  /** The room that the ticket became; one that is new, if we were not told the ticket. */
  #room(): string | undefined {
    const began = Object.entries(this.#me.doc.rooms).find(([room, row]) => {
      if (this.#id !== undefined) return row.ticket === this.#id;
      const fits = row.ticket !== undefined && row.game === this.#wish.game;
      return fits && row.status !== "ended" && !this.#rooms.has(room);
    });
    return began?.[0];
  }

  // --- ready checks --------------------------------------------------------------------------

  /** Have a ready check answered, each once; stop asking when it is over. */
  #ask(ticket: Ticket | undefined): void {
    const deadline = ticket?.match?.deadline;
    if (deadline === this.#asked) return;
    this.#asked = deadline;
    this.#answering?.abort();
    this.#answering = undefined;
    if (ticket === undefined || deadline === undefined) return;
    this.#answering = new AbortController();
    this.#answer(ticket, this.#answering.signal).catch(this.#broken.reject);
  }

  async #answer(ticket: Ticket, over: AbortSignal): Promise<void> {
    const accept = (await this.#options.accept?.(ticket, over)) ?? true;
    if (over.aborted) return;
    this.#declined = !accept;
    await this.#sendAnswer({ type: "queue.accept", ticket: ticket.id, accept }, over);
  }

  /** Send it, again after a lost connection: accepting twice is accepting. */
  async #sendAnswer(message: Message, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      try {
        await this.#link.request(message);
        return;
      } catch (error) {
        if (error instanceof ConnectionLost) await this.#link.watch("me");
        else if (error instanceof RefusedError && ["conflict", "not_found"].includes(error.code))
          return; // the match is off, which `me` tells
        else throw error;
      }
    }
  }
}

/** Whether the promise was fulfilled in time; without a time there is no limit. */
async function within(ms: number | undefined, promise: Promise<void>): Promise<boolean> {
  const inTime = promise.then(() => true);
  if (ms === undefined) return inTime;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, ms));
  });
  return Promise.race([inTime, late]).finally(() => clearTimeout(timer));
}
