/** The messages of a client that wait to be sent. Pure; times are those of the session's clock. */

import { Patience } from "./backoff.js";
import { deferred, type Deferred } from "./deferred.js";
import type { Message } from "./protocol/requests.js";
import type { Reply } from "./protocol/schema.js";

/** How long everything else waits after a request was refused for the rate of messages. */
const MAX_PAUSE_MS = 1000;

/** A message under way, over as many connections as it takes. */
export class Request {
  /** What is sent, as often as `patience` has it. */
  readonly frame: string;
  readonly done: Deferred<Reply> = deferred();
  readonly patience = new Patience();
  /** When it may be sent at the earliest. */
  notBefore = 0;

  /**
   * Those that are asked `first` on a new connection are sent before all others.
   *
   * Throws TypeError if JSON cannot hold the message, RangeError if its frame has more than
   * `longest` bytes.
   */
  constructor(
    readonly id: number,
    readonly message: Message,
    longest = Infinity,
    readonly first = false,
  ) {
    this.frame = JSON.stringify({ ...message, id });
    const { length } = new TextEncoder().encode(this.frame);
    if (length > longest)
      throw new RangeError(`the message has ${length} bytes; the server takes ${longest} at most`);
  }
}

const order = (a: Request, b: Request): number => Number(b.first) - Number(a.first) || a.id - b.id;

/** Requests in the order in which they are sent. */
export class Outbox {
  #waiting: Request[] = [];
  #pausedUntil = 0;

  /** Send it when it is its turn, whether it is new or to be sent again. */
  add(request: Request): void {
    this.#waiting.push(request);
    this.#waiting.sort(order);
  }

  /** Send nothing before that, but not for long: it may concern one kind of request. */
  pause(until: number, now: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, Math.min(until, now + MAX_PAUSE_MS));
  }

  /** The next to send, if there is one that may be sent now. */
  take(now: number): Request | undefined {
    if (now < this.#pausedUntil) return undefined;
    const index = this.#waiting.findIndex(({ notBefore }) => notBefore <= now);
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0];
  }

  /** Whatever is here. */
  takeAll(): Request[] {
    return this.#waiting.splice(0);
  }

  /** When there is something to send, undefined if there is nothing. */
  nextAt(): number | undefined {
    if (this.#waiting.length === 0) return undefined;
    return Math.max(this.#pausedUntil, Math.min(...this.#waiting.map((each) => each.notBefore)));
  }
}
