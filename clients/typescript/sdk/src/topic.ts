/** One watched topic: its document, and who waits for it. Pure; `session.ts` drives it. */

import type { ServerTime } from "./clock.js";
import type { Deferred } from "./deferred.js";
import { applyPatch } from "./protocol/patch.js";
import type { Message } from "./protocol/requests.js";
import type { ChatNotice, Diff, JsonObject, Reply, State } from "./protocol/schema.js";
import { Document, Table, type RoomDoc } from "./table.js";

/** Lines of chat that are kept for those who start to read; the server keeps as many. */
const CHAT_LINES = 50;

/** A topic that is watched, over any number of connections. */
export class Topic {
  document: Document | undefined;
  /** Whether diffs continue `document` now. */
  live = false;
  /** The id of the `watch` under way. */
  asked: number | undefined;
  /** The last lines, oldest first. */
  readonly chat: ChatNotice[] = [];
  readonly #watchers: Deferred<Document>[] = [];
  readonly #unshown: { reply: Reply; epoch: string; done: Deferred<Reply> }[] = [];
  readonly #heard = new Map<string, number>();
  #epoch = "";
  #sound = true;
  #missedTo = 0;
  #missedEvents: JsonObject[] = [];

  constructor(
    readonly name: string,
    readonly invite: string | undefined,
    readonly time: ServerTime,
  ) {}

  /** The `watch` that asks for the missed diffs, or for all if ours cannot be trusted. */
  question(): Message {
    const { epoch, seq } = this.document ?? {};
    const since =
      epoch !== undefined && seq !== undefined && this.#sound ? { epoch, seq } : undefined;
    return { type: "watch", topic: this.name, since, invite: this.invite };
  }

  /** The connection is gone. */
  interrupted(): void {
    this.live = false;
    this.asked = undefined;
  }

  /** `ok` to the question. Either the missed diffs follow, or a `state`. */
  answered({ epoch = "", seq = 0, recovered }: Reply): void {
    this.asked = undefined;
    this.#enter(epoch);
    if (recovered !== true || this.document === undefined) return;
    this.live = true;
    this.#missedTo = seq;
  }

  /** A new epoch counts its lines of chat anew. */
  #enter(epoch: string): void {
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.#heard.clear();
  }

  /** Take the whole document. */
  state({ doc, epoch, seq }: State): Document {
    if (this.document !== undefined) Object.assign(this.document, { doc, epoch, seq });
    else if (this.name.startsWith("room:"))
      this.document = new Table(
        doc as RoomDoc,
        epoch,
        seq,
        this.time,
      ) as Document<object> as Document;
    else this.document = new Document(this.name, doc, epoch, seq);
    this.#enter(epoch);
    this.live = this.#sound = true;
    this.#missedTo = seq;
    this.#missedEvents = [];
    return this.document;
  }

  /** What a diff makes of a live topic's document; undefined if another should have come. */
  next({ patch, seq }: Diff): JsonObject | undefined {
    const { document } = this;
    if (document === undefined || seq !== document.seq + 1) return undefined;
    return applyPatch(document.doc, patch);
  }

  /**
   * Go on to the next version. The events to tell of, or undefined while missed diffs still come:
   * nobody shall answer a decision of the past.
   */
  advance(doc: JsonObject, { seq, events }: Diff): JsonObject[] | undefined {
    if (this.document !== undefined) Object.assign(this.document, { doc, seq });
    this.#missedEvents.push(...events);
    if (!this.upToDate) return undefined;
    return this.#missedEvents.splice(0);
  }

  /** A diff did not fit: the document is needed again. */
  distrust(): void {
    this.live = this.#sound = false;
  }

  /** Whether `document` is what the server shows now, for all we know. */
  get upToDate(): boolean {
    return this.live && this.document !== undefined && this.document.seq >= this.#missedTo;
  }

  /** Take a line of chat. False: it was told before, a new `watch` brings the last ones. */
  hear(line: ChatNotice): boolean {
    if (line.n <= (this.#heard.get(line.to) ?? 0)) return false;
    this.#heard.set(line.to, line.n);
    this.chat.push(line);
    if (this.chat.length > CHAT_LINES) this.chat.shift();
    return true;
  }

  /** Somebody wants the document as soon as it is up to date. */
  watched(done: Deferred<Document>): void {
    this.#watchers.push(done);
    this.settle();
  }

  /** A decision was answered; the caller hears of it when the document shows it. */
  waitFor(reply: Reply, done: Deferred<Reply>): void {
    this.#unshown.push({ reply, epoch: this.#epoch, done });
    this.settle();
  }

  /** Tell those who waited for what the document shows now. */
  settle(): void {
    const { document } = this;
    if (document === undefined || !this.upToDate) return;
    for (const { resolve } of this.#watchers.splice(0)) resolve(document);
    for (const waiting of this.#unshown.splice(0)) {
      const { reply, epoch, done } = waiting;
      if (document.epoch !== epoch || document.seq >= (reply.seq ?? 0)) done.resolve(reply);
      else this.#unshown.push(waiting);
    }
  }

  /** The topic is let go: nobody waits any longer for what it would show. */
  release(error: Error): void {
    for (const { reject } of this.#watchers.splice(0)) reject(error);
    for (const { reply, done } of this.#unshown.splice(0)) done.resolve(reply);
  }
}
