/**
 * What the client throws.
 *
 *     HoftagError
 *     ├── RefusedError      the server refused a request; nothing has changed
 *     ├── ConnectionLost    the connection ended; a request that was under way has no answer
 *     └── TicketLost        the ticket for the queue is gone, and no game came of it
 */

import type { ErrorCode, ErrorReply, JsonObject } from "./protocol/schema.js";

/** The base of everything that this package throws on purpose. */
export class HoftagError extends Error {
  override name = "HoftagError";
}

/**
 * The server answered a request with `error`. The request has changed nothing.
 *
 * `ERROR_CODES` says what each `code` means; a newer server may have more of them. `text` is what the
 * server said, which `message` puts between code, path and rule. `rule` is the
 * stable id of the rule that an illegal action breaks, `path` a JSON pointer into the message that
 * was sent, `legal` the list to choose from.
 */
export class RefusedError extends HoftagError {
  override name = "RefusedError";
  readonly code: ErrorCode | (string & {});
  readonly text: string;
  readonly path: string | undefined;
  readonly rule: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly seq: number | undefined;
  readonly decision: number | undefined;
  readonly legal: JsonObject[] | undefined;

  constructor(reply: ErrorReply) {
    const where = reply.path === undefined ? "" : ` (at ${reply.path})`;
    const rule = reply.rule === undefined ? "" : ` [${reply.rule}]`;
    super(`${reply.code}: ${reply.message}${where}${rule}`);
    this.code = reply.code;
    this.text = reply.message;
    this.path = reply.path;
    this.rule = reply.rule;
    this.retryAfterMs = reply.retry_after_ms;
    this.seq = reply.seq;
    this.decision = reply.decision;
    this.legal = reply.legal;
  }
}

/**
 * There is no connection, or it ended before the answer came.
 *
 * Of a request that fails with this nobody knows whether it was done: look at the document. Answers
 * to decisions never do while the client reconnects, they are sent again. `code` is the close code
 * (`CLOSE_CODES`), undefined where there was no closing handshake.
 */
export class ConnectionLost extends HoftagError {
  override name = "ConnectionLost";

  constructor(
    readonly reason: string,
    readonly code?: number,
  ) {
    super(code === undefined ? reason : `${reason} (close code ${code})`);
  }
}

/**
 * You wait for opponents no longer, and no game came of it. Queue again to wait again.
 *
 * `reason` is `declined` if you were not ready, `timeout` if you did not answer in time, and
 * `unknown` where the server told nobody, e.g. when the ticket was given up on another connection
 * of yours, or you had no connection for `abandon_after_s`, or while time ran out.
 */
export class TicketLost extends HoftagError {
  override name = "TicketLost";

  constructor(readonly reason: "declined" | "timeout" | "unknown") {
    super(`the ticket for the queue is gone: ${reason}`);
  }
}
