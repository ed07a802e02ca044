/** One watched topic: its document, and who waits for it. Pure; `session.ts` drives it. */

import type { ServerTime } from "./clock.js";
import type { Deferred } from "./deferred.js";
import { applyPatch, canonical } from "./protocol/patch.js";
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
  readonly #unshown: { seq: number; epoch: string; settle: () => void }[] = [];
  readonly #heard = new Map<string, number>();
  #epoch = "";
  #sound = true;
  #missedTo = 0;
  /** While missed diffs come: the version that they lead to, which is not shown yet. */
  #ahead: { doc: JsonObject; seq: number; events: JsonObject[] } | undefined;

  constructor(
    readonly name: string,
    readonly invite: string | undefined,
    readonly time: ServerTime,
  ) {}

  /** The `watch` that asks for the missed diffs; for all if ours is wrong, or live already. */
  question(): Message {
    const { epoch, seq } = this.document ?? {};
    const known = epoch !== undefined && seq !== undefined && this.#sound && !this.live;
    const since = known ? { epoch, seq } : undefined;
    return { type: "watch", topic: this.name, since, invite: this.invite };
  }

  /** The connection is gone. */
  interrupted(): void {
    this.live = false;
    this.asked = undefined;
    this.#ahead = undefined;
  }

  /** `ok` to the question. Either the missed diffs follow, or a `state`. */
  answered({ epoch = "", seq = 0, recovered }: Reply): void {
    this.asked = undefined;
    this.#enter(epoch);
    this.live = recovered === true && this.document !== undefined;
    if (this.live) this.#missedTo = seq;
  }

  /** A new epoch counts its lines of chat anew. */
  #enter(epoch: string): void {
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.#heard.clear();
  }

  /** Take the whole document; whether it is another than there was. */
  state({ doc, epoch, seq }: State): boolean {
    const { document } = this;
    const same =
      document?.epoch === epoch &&
      document.seq === seq &&
      canonical(document.doc) === canonical(doc);
    if (document !== undefined) Object.assign(document, { doc, epoch, seq });
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
    this.#ahead = undefined;
    return !same;
  }

  /** What a diff makes of a live topic's document; undefined if another should have come. */
  next({ patch, seq }: Diff): JsonObject | undefined {
    const newest = this.#ahead ?? this.document;
    if (newest === undefined || seq !== newest.seq + 1) return undefined;
    return applyPatch(newest.doc, patch);
  }

  /**
   * Go on to the next version. The events to tell of, or undefined while missed diffs still come:
   * nobody shall answer a decision of the past.
   */
  advance(doc: JsonObject, { seq, events }: Diff): JsonObject[] | undefined {
    const next = { doc, seq, events: [...(this.#ahead?.events ?? []), ...events] };
    this.#ahead = seq < this.#missedTo ? next : undefined;
    if (this.#ahead !== undefined || this.document === undefined) return undefined;
    Object.assign(this.document, { doc, seq });
    return next.events;
  }

  /** A diff did not fit: the document is needed again. */
  distrust(): void {
    this.live = this.#sound = false;
    this.#ahead = undefined;
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

  /** A decision was answered, or not; the caller hears of it when the document shows why. */
  waitFor(seq: number, settle: () => void): void {
    this.#unshown.push({ seq, epoch: this.#epoch, settle });
    this.settle();
  }

  /** Tell those who waited for what the document shows now. */
  settle(): void {
    const { document } = this;
    if (document === undefined || !this.upToDate) return;
    if (this.asked === undefined)
      for (const { resolve } of this.#watchers.splice(0)) resolve(document);
    for (const waiting of this.#unshown.splice(0)) {
      if (document.epoch !== waiting.epoch || document.seq >= waiting.seq) waiting.settle();
      else this.#unshown.push(waiting);
    }
  }

  /** The topic is let go: nobody waits any longer for what it would show. */
  release(error: Error): void {
    for (const { reject } of this.#watchers.splice(0)) reject(error);
    for (const { settle } of this.#unshown.splice(0)) settle();
  }
}
