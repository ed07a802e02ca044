/** Our monotonic clock, and the server's time as its messages tell it. */

/** Milliseconds that never run backwards. */
export const now = (): number => performance.now();

/**
 * How far the server's clock is from ours: at least what the fastest message made of it.
 *
 * A message that was written at `at` comes later than that, so the true time is a little ahead of
 * this one: by the shortest way of any message that came. Before the first one it is our own
 * clock's.
 */
export class ServerTime {
  #aheadMs: number | undefined;

  /** Whether a message has told it yet. */
  get known(): boolean {
    return this.#aheadMs !== undefined;
  }

  /** Take in that the server wrote `at` (unix ms) before our monotonic `now`. */
  heard(at: number, now: number): void {
    this.#aheadMs = Math.max(this.#aheadMs ?? -Infinity, at - now);
  }

  /** The next server may have another clock. */
  forget(): void {
    this.#aheadMs = undefined;
  }

  /** The server's time now, in unix ms. */
  ms(): number {
    return this.#aheadMs === undefined ? Date.now() : Math.round(this.#aheadMs + now());
  }
}
