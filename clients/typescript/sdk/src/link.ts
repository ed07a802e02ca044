/** What is under a client: connects, reconnects, and carries frames to and from a `Session`. */

import { Changes, type Notice } from "./changes.js";
import { now } from "./clock.js";
import { Connection, type Listener } from "./connection.js";
import { deferred } from "./deferred.js";
import { ConnectionLost } from "./errors.js";
import type { Message, ReplyTo } from "./protocol/requests.js";
import type { JsonObject } from "./protocol/schema.js";
import { Session, type Observer } from "./session.js";
import type { Auth } from "./signing.js";
import type { SocketClass } from "./socket.js";
import type { Document } from "./table.js";

const SUBPROTOCOL = "hoftag.v1";

export interface LinkOptions {
  readonly url: string;
  readonly auth: Auth;
  readonly WebSocket: SocketClass;
  readonly reconnect: boolean;
  readonly openTimeoutMs: number;
}

/** What readers of changes have in common, whatever their documents hold. */
type Reader = Pick<Changes, "changed" | "noticed" | "connection" | "finish">;

/**
 * Keeps one `Session` connected and tells those who wait what came of it.
 *
 * With `reconnect` a lost connection is opened again, without end, unless the server says that there
 * is no use. The first connection must succeed at once.
 */
export class Link implements Listener, Observer {
  readonly session: Session;
  readonly #options: LinkOptions;
  readonly #readers = new Map<string, Set<Reader>>();
  readonly #first = deferred<void>();
  #welcome = false;
  #connection: Connection | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #end: Error | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.session = new Session(options.auth, this);
  }

  // --- life ----------------------------------------------------------------------------------

  /** Connect. Rejects with ConnectionLost or RefusedError if that fails. */
  open(): Promise<void> {
    this.#connect();
    return this.#first.promise;
  }

  /** Disconnect for good. Whoever still waits for an answer gets `ConnectionLost`. */
  close(): void {
    this.#finish(new ConnectionLost("the client was closed"), undefined);
  }

  #finish(error: Error, forReaders: Error | undefined): void {
    if (this.#end !== undefined) return;
    this.#end = error;
    clearTimeout(this.#timer);
    this.#connection?.close();
    this.#connection = undefined;
    this.session.abort(error);
    this.#first.reject(error);
    for (const reader of this.#everyReader()) reader.finish(forReaders);
    this.#readers.clear();
  }

  #connect(): void {
    const { url, WebSocket, openTimeoutMs } = this.#options;
    try {
      this.#connection = new Connection(new WebSocket(url, SUBPROTOCOL), openTimeoutMs, this);
    } catch {
      this.stopped(new ConnectionLost(`not a WebSocket address: ${url}`));
    }
  }

  /** Send what is to be sent, and come back when there will be more. */
  #flush(): void {
    if (this.#connection === undefined) return; // the timer is the one of the next attempt
    clearTimeout(this.#timer);
    for (let frame = this.session.nextFrame(now()); frame !== undefined;) {
      this.#connection.send(frame);
      frame = this.session.nextFrame(now());
    }
    const at = this.session.nextAt();
    if (at === undefined) return;
    const wait = Math.max(1, at - now());
    this.#timer = setTimeout(() => this.#flush(), wait);
    if (!this.session.ready) this.#connection.openWithin(wait + this.#options.openTimeoutMs);
  }

  // --- requests ------------------------------------------------------------------------------

  /** The `ok`. Rejects with RefusedError or ConnectionLost. */
  request<T extends Message["type"]>(message: Message & { type: T }): Promise<ReplyTo<T>> {
    return this.#asked(() => this.session.request(message)) as Promise<ReplyTo<T>>;
  }

  /** The document of a topic, which is kept up to date from now on; read `anew` even so. */
  watch<D extends Document<object>>(topic: string, invite?: string, anew = false): Promise<D> {
    const watched: Promise<unknown> = this.#asked(() => this.session.watch(topic, invite, anew));
    return watched as Promise<D>;
  }

  /** Let a topic go; who reads its changes comes to an end. */
  unwatch(topic: string): Promise<void> {
    for (const reader of this.#readersOf(topic)) reader.finish();
    this.#readers.delete(topic);
    return this.#asked(() => this.session.unwatch(topic));
  }

  async #asked<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#end !== undefined) throw this.#end;
    const answer = ask();
    this.#flush();
    return answer;
  }

  /** A new reader of a document's changes; of one that is let go there are none any more. */
  changes<D extends object>(document: Document<D>): Changes<D> {
    const { topic } = document;
    const readers = this.#readers.get(topic) ?? new Set<Reader>();
    const reader = new Changes(document, this.session.ready, (left) => readers.delete(left));
    const watched = this.session.topic(topic);
    const held: object | undefined = watched?.document;
    if (this.#end !== undefined) reader.finish(this.#end);
    else if (held !== document) reader.finish();
    else {
      for (const line of watched?.chat ?? []) reader.noticed(line);
      this.#readers.set(topic, readers.add(reader));
    }
    return reader;
  }

  #readersOf(topic: string): Iterable<Reader> {
    return this.#readers.get(topic) ?? [];
  }

  #everyReader(): Reader[] {
    return [...this.#readers.values()].flatMap((readers) => [...readers]);
  }

  // --- what the connection tells ---------------------------------------------------------------

  connected(): void {
    this.session.connected();
  }

  frame(text: string): Promise<void> | undefined {
    const failed = (error: unknown): void =>
      this.stopped(new ConnectionLost(`the peer does not speak this protocol (${String(error)})`));
    try {
      const rest = this.session.receive(text, now());
      if (rest !== undefined) return rest.then(() => this.#flush()).catch(failed);
      this.#flush();
    } catch (error) {
      failed(error);
    }
    return undefined;
  }

  lost(code: number | undefined, reason: string): void {
    this.#connection = undefined;
    clearTimeout(this.#timer);
    this.session.disconnected(code, reason, now());
    for (const reader of this.#everyReader()) reader.connection(false);
    const at = this.session.reconnectAt;
    if (at === undefined || !this.#options.reconnect || !this.#welcome)
      this.stopped(new ConnectionLost(reason, code));
    else this.#timer = setTimeout(() => this.#connect(), at - now());
  }

  // --- what the session tells ------------------------------------------------------------------

  opened(): void {
    this.#welcome = true;
    this.#first.resolve();
    const waiting = (): boolean => this.session.waiting;
    const ask = (): void => void this.request({ type: "ping" }).catch(() => {});
    this.#connection?.watchOver(this.session.heartbeatMs, waiting, ask);
    for (const reader of this.#everyReader()) reader.connection(true);
  }

  changed(topic: string, events: readonly JsonObject[] | undefined): void {
    for (const reader of this.#readersOf(topic)) reader.changed(events);
  }

  /** Notices of a topic go to its readers, all others to everybody. */
  noticed(notice: Notice): void {
    const readers = "topic" in notice ? this.#readersOf(notice.topic) : this.#everyReader();
    for (const reader of readers) reader.noticed(notice);
  }

  dropped(topic: string, error: Error): void {
    for (const reader of this.#readersOf(topic)) reader.finish(error);
    this.#readers.delete(topic);
  }

  stopped(error: Error): void {
    this.#finish(error, error);
  }
}
