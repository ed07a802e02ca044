/** What happened to a document since one looked last, for `for await` loops. */

import { deferred } from "./deferred.js";
import type {
  Bye,
  ChatNotice,
  DrainingNotice,
  JsonObject,
  MatchFailedNotice,
  QuarantinedNotice,
} from "./protocol/schema.js";
import type { Document } from "./table.js";

/** What the server tells besides documents; `type` is `notice`, or `bye` before it closes. */
export type Notice = ChatNotice | DrainingNotice | QuarantinedNotice | MatchFailedNotice | Bye;

/** What happened to a document since the change before. */
export interface Change<D extends object = JsonObject> {
  /** The version that this change led to. */
  readonly doc: D;
  /** What happened in the game's terms, oldest first; the document is right without them. */
  readonly events: readonly JsonObject[];
  readonly notices: readonly Notice[];
  /**
   * False where events are missing: at the first change, after a reconnect that could not be
   * resumed, or because the reader was slow.
   */
  readonly complete: boolean;
  /** Whether there is a connection at the moment. */
  readonly online: boolean;
}

/** Events and notices that are kept for a slow reader. */
const LIMIT = 1000;

/**
 * The changes of one document, for one reader: `for await (const change of changes)`.
 *
 * The first change comes at once and stands for the document as it is, with the last lines of chat.
 * Whoever reads slowly gets several changes in one, and the newest document always. The iteration
 * ends when the client is closed or the document let go, and at once if it was let go before. It
 * throws `ConnectionLost` when the client gives up, `RefusedError` when the document is out of reach;
 * what happened until then comes first.
 *
 * Whoever waits for other things too uses `wait` and `take`.
 */
export class Changes<D extends object = JsonObject> implements AsyncIterableIterator<Change<D>> {
  readonly #document: Document<D>;
  readonly #left: (reader: Changes<D>) => void;
  #events: JsonObject[] = [];
  #notices: Notice[] = [];
  #complete = false;
  #online: boolean;
  #news = deferred<void>();
  /** Whether a version or a notice was not handed out yet. */
  #untold = false;
  #end: { error?: Error } | undefined;

  constructor(document: Document<D>, online: boolean, left: (reader: Changes<D>) => void) {
    this.#document = document;
    this.#online = online;
    this.#left = left;
    this.#news.resolve();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Change<D>, undefined>> {
    await this.wait();
    const value = this.take();
    return value === undefined ? { done: true, value } : { done: false, value };
  }

  /** Read no further; a `for await` loop that is left does this by itself. */
  return(): Promise<IteratorResult<Change<D>, undefined>> {
    this.#left(this);
    this.finish();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Wait until there is a change to take. */
  wait(): Promise<void> {
    return this.#news.promise;
  }

  /** All that happened up to this moment; then throws what ended it. Undefined at a plain end. */
  take(): Change<D> | undefined {
    if (this.#end === undefined) this.#news = deferred();
    else if (this.#end.error === undefined) return undefined;
    else if (!this.#untold) throw this.#end.error;
    this.#untold = false;
    const change: Change<D> = {
      doc: this.#document.doc,
      events: this.#events,
      notices: this.#notices,
      complete: this.#complete,
      online: this.#online,
    };
    this.#events = [];
    this.#notices = [];
    this.#complete = true;
    return change;
  }

  /** Tell the reader of a new version; without events it was replaced. */
  changed(events: readonly JsonObject[] | undefined): void {
    this.#events.push(...(events ?? []));
    const surplus = this.#events.length - LIMIT;
    if (surplus > 0) this.#events.splice(0, surplus);
    if (events === undefined || surplus > 0) this.#complete = false;
    this.#tell();
  }

  noticed(notice: Notice): void {
    this.#notices.push(notice);
    if (this.#notices.length > LIMIT) this.#notices.shift();
    this.#tell();
  }

  #tell(): void {
    this.#untold = true;
    this.#news.resolve();
  }

  /** Tell the reader that the connection was lost, or is back. */
  connection(online: boolean): void {
    if (online === this.#online) return;
    this.#online = online;
    this.#news.resolve();
  }

  /** End the iteration, with an error or without. */
  finish(error?: Error): void {
    this.#end ??= error === undefined ? {} : { error };
    this.#news.resolve();
  }
}
