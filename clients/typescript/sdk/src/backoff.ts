/**
 * When to try again: after a refusal that passes, and after a lost connection. Pure.
 *
 * `jitter` is a number in [0, 1) from the caller, so that many clients do not come back in step.
 */

import { CLOSE_CODES } from "./protocol/schema.js";

/** How often a message is refused by a code that passes before that is handed to the caller. */
const MAX_TRIES = new Map([
  ["rate_limited", Infinity],
  ["unavailable", 8],
  ["internal", 2],
]);
/** The longest `retry_after_ms` that is waited out; a longer one is the caller's affair. */
const MAX_WAIT_MS = 10_000;

const FIRST_MS = 250;
const LONGEST_MS = 20_000;

/** Milliseconds before attempt 1, 2, ...: doubled each time, between half and the whole. */
export function delay(attempt: number, jitter: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (attempt - 1)) * (0.5 + jitter / 2);
}

/** How often one message was refused, and so when it is sent again. */
export class Patience {
  readonly #refused = new Map<string, number>();

  /** Milliseconds until the next try after one more refusal; undefined if it is the caller's affair. */
  wait(code: string, retryAfterMs: number | undefined, jitter: number): number | undefined {
    const times = (this.#refused.get(code) ?? 0) + 1;
    this.#refused.set(code, times);
    if (times >= (MAX_TRIES.get(code) ?? 0) || (retryAfterMs ?? 0) > MAX_WAIT_MS) return undefined;
    return retryAfterMs ?? delay(times, jitter);
  }
}

/**
 * Whether a connection that closed with `code` is worth opening again.
 *
 * The table of close codes decides; codes it does not list stop where they are 44xx, and else count
 * as trouble of the network. `undefined` stands for an end without a closing handshake.
 */
export function shouldReconnect(code: number | undefined): boolean {
  if (code === undefined) return true;
  const listed: Record<number, { reconnect: boolean } | undefined> = CLOSE_CODES;
  return listed[code]?.reconnect ?? (code < 4400 || code >= 4500);
}
