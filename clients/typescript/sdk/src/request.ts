/** A message of a client under way, over as many connections as it takes. */

import { deferred, type Deferred } from "./deferred.js";
import type { Message } from "./protocol/requests.js";
import type { Reply } from "./protocol/schema.js";

export class Request {
  /** What is sent, as often as needed. */
  readonly frame: string;
  readonly done: Deferred<Reply> = deferred();
  /** How often that was. */
  tries = 0;
  /** When it may be sent at the earliest, by the session's clock. */
  notBefore = 0;

  /** Throws TypeError if JSON cannot hold the message. */
  constructor(
    readonly id: number,
    readonly message: Message,
  ) {
    this.frame = JSON.stringify({ ...message, id });
  }
}
