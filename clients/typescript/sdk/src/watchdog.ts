/** Notices a peer that has fallen silent: browsers do not, for minutes. */

import { now } from "./clock.js";

/** How long a missing reply is waited for before the peer is asked whether it is there. */
const PATIENCE_MS = 5000;
/** How often it looks within its patience. */
const LOOKS = 5;

/**
 * When nothing has come for a heartbeat, or for `PATIENCE_MS` while `waiting` says that a reply is
 * missing, `ask` shall make the peer say something; when nothing comes for as long again, `dead` is
 * called. A peer that answers lives, however long its replies take.
 *
 * The second wait is counted in looks: one that the machine has slept through, or a program that
 * reckoned, counts as one, and what came meanwhile is read before the next.
 */
export class Watchdog {
  readonly #timer: ReturnType<typeof setInterval>;
  #heardAt = now();
  /** Looks until it counts as dead, once it was asked. */
  #left: number | undefined;

  constructor(heartbeatMs: number, waiting: () => boolean, ask: () => void, dead: () => void) {
    const patienceMs = Math.min(PATIENCE_MS, heartbeatMs);
    const lookMs = patienceMs / LOOKS;
    this.#timer = setInterval(() => {
      if (this.#left === undefined) {
        const limitMs = waiting() ? patienceMs : heartbeatMs;
        if (now() - this.#heardAt < limitMs) return;
        this.#left = Math.ceil(limitMs / lookMs);
        ask();
      } else if (--this.#left === 0) dead();
    }, lookMs);
  }

  /** The peer said something. */
  heard(): void {
    this.#heardAt = now();
    this.#left = undefined;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
