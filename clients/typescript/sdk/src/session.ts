/**
 * The client's half of the protocol as a state machine without I/O.
 *
 * A `Session` outlives its connections. The shell that owns the socket (`link.ts`) does this:
 *
 * - a connection is open: `connected()`; it is gone: `disconnected(code, reason, now)`, then wait
 *   until `reconnectAt`, or stop if that is undefined;
 * - a text frame came: `receive(frame, now)`; if that returns a promise, wait for it before the next;
 * - at any time: send `nextFrame(now)` until it is undefined, and ask again at `nextAt()`.
 *
 * `now` is a monotonic clock in milliseconds. What is kept over a lost connection: the token, the
 * watched documents (asked for with `since`), requests that were not sent yet, and answers to
 * decisions, which the server recognises when they come twice. Every other request under way fails
 * with `ConnectionLost`.
 */

import { delay, shouldReconnect } from "./backoff.js";
import type { Notice } from "./changes.js";
import { ServerTime } from "./clock.js";
import { deferred } from "./deferred.js";
import { ConnectionLost, RefusedError, type HoftagError } from "./errors.js";
import { Outbox, Request } from "./outbox.js";
import { digest } from "./protocol/patch.js";
import type { Message } from "./protocol/requests.js";
import type {
  Bye,
  Diff,
  ErrorReply,
  Hello,
  JsonObject,
  Reply,
  ServerMessage,
  State,
} from "./protocol/schema.js";
import { SigningIn, type Auth } from "./signing.js";
import type { Document } from "./table.js";
import { Topic } from "./topic.js";

/** A connection that has lived so long was a good one: the next is opened without long waits. */
const STABLE_MS = 5_000;

/** The heartbeat where `hello` does not tell it. */
const HEARTBEAT_S = 20;

/** Who is told what happens. */
export interface Observer {
  /** There is a connection that takes requests. */
  opened(): void;
  /** A document has a new version; without events it was replaced. */
  changed(topic: string, events: readonly JsonObject[] | undefined): void;
  noticed(notice: Notice): void;
  /** A document is out of reach from now on. */
  dropped(topic: string, error: HoftagError): void;
  /** There is no use in going on. */
  stopped(error: HoftagError): void;
}

export class Session {
  readonly time = new ServerTime();
  readonly signing: SigningIn;
  reconnectAt: number | undefined;
  #bye: Bye | undefined;
  #failures = 0;
  #readyAt: number | undefined;
  #lastId = 0;
  readonly #outbox = new Outbox();
  readonly #sent = new Map<number, Request>();
  readonly #topics = new Map<string, Topic>();

  /** Throws TypeError if JSON cannot hold `auth`. */
  constructor(
    auth: Auth,
    private readonly observer: Observer,
    private readonly jitter: () => number = Math.random,
  ) {
    this.signing = new SigningIn(auth, jitter);
  }

  // --- what the caller wants -----------------------------------------------------------------

  /** Whether there is a connection that takes requests. */
  get ready(): boolean {
    return this.signing.done;
  }

  /** Whether the server owes a reply. */
  get waiting(): boolean {
    return this.#sent.size > 0;
  }

  /** How often the server gives a sign of life. */
  get heartbeatMs(): number {
    return (this.signing.hello?.heartbeat_s ?? HEARTBEAT_S) * 1000;
  }

  /**
   * Send a message as soon as there is a connection. Throws TypeError if JSON cannot hold it,
   * RangeError if it is longer than the server takes.
   */
  request(message: Message): Promise<Reply> {
    if (message.type === "watch")
      throw new TypeError("documents are asked for by the methods that watch them");
    const request = this.#make(message);
    this.#outbox.add(request);
    return request.done.promise;
  }

  #make(message: Message, first = false): Request {
    const longest = this.signing.hello?.limits?.["frame_bytes"];
    return new Request(++this.#lastId, message, longest, first);
  }

  /**
   * Keep the topic's document up to date from now on; the document as soon as it is.
   *
   * `anew` asks for the whole of it even so: then it shows all that the server has answered before.
   * Throws what `request` does.
   */
  watch(name: string, invite?: string, anew = false): Promise<Document> {
    let topic = this.#topics.get(name);
    if (topic === undefined || anew) {
      topic ??= new Topic(name, invite, this.time);
      const question = this.#ask(topic); // before anything is kept of what cannot be asked
      this.#topics.set(name, topic);
      if (this.ready) this.#outbox.add(question);
    }
    const done = deferred<Document>();
    topic.watched(done);
    return done.promise;
  }

  /** Let a document go; it stays as it is. No new connection will ask for it. */
  async unwatch(name: string): Promise<void> {
    this.#topics.get(name)?.release(new ConnectionLost("the topic is not watched any more"));
    this.#topics.delete(name);
    if (this.ready) await this.request({ type: "unwatch", topic: name });
  }

  topic(name: string): Topic | undefined {
    return this.#topics.get(name);
  }

  /** Whoever waits for something waits in vain. */
  abort(error: Error): void {
    for (const { done } of [...this.#outbox.takeAll(), ...this.#sent.values()]) done.reject(error);
    this.#sent.clear();
    for (const topic of this.#topics.values()) topic.release(error);
  }

  // --- what the shell does -------------------------------------------------------------------

  /** A new connection is open. The server speaks first. */
  connected(): void {
    this.#bye = undefined;
    this.time.forget();
  }

  /** The connection is gone, or could not be opened (no `code`). */
  disconnected(code: number | undefined, reason: string, now: number): void {
    this.signing.disconnected();
    const lived = this.#readyAt !== undefined && now - this.#readyAt >= STABLE_MS;
    this.#readyAt = undefined;
    this.#failures = lived ? 1 : this.#failures + 1; // one that ends at once is a failure as well
    const after = Math.max(delay(this.#failures, this.jitter()), this.#bye?.after_ms ?? 0);
    const stop = !shouldReconnect(code) || this.#bye?.reconnect === false;
    this.reconnectAt = stop ? undefined : now + after;
    for (const topic of this.#topics.values()) topic.interrupted();
    const lost = new ConnectionLost(reason, code);
    const underWay = [...this.#sent.values()];
    const unsent = this.#outbox.takeAll();
    this.#sent.clear();
    for (const request of underWay) this.#interrupted(request, lost);
    for (const request of unsent) this.#interrupted(request, undefined);
  }

  /** What becomes of a request when the connection ends; `lost` unless it was not sent. */
  #interrupted(request: Request, lost: ConnectionLost | undefined): void {
    switch (request.message.type) {
      case "watch": // every topic is asked for anew
        break;
      case "unwatch":
        request.done.resolve({ type: "ok" });
        break;
      case "act":
      case "ping":
        this.#outbox.add(request);
        break;
      default:
        if (lost === undefined) this.#outbox.add(request);
        else request.done.reject(lost);
    }
  }

  /**
   * Take in one frame. Unknown types and fields are ignored. A promise is returned where a hash has
   * to be reckoned first. Throws if the peer does not speak the protocol at all.
   */
  receive(frame: string, now: number): Promise<void> | undefined {
    const message = JSON.parse(frame) as ServerMessage;
    switch (message.type) {
      case "hello":
        this.#greet(message, now);
        break;
      case "ok":
        this.#ok(message, now);
        break;
      case "error":
        this.#error(message, now);
        break;
      case "state":
        this.#state(message);
        break;
      case "diff":
        return this.#diff(message, now);
      case "notice":
        if (message.kind !== "chat" || this.#topics.get(message.topic)?.hear(message))
          this.observer.noticed(message);
        break;
      case "bye":
        this.#bye = message;
        this.observer.noticed(message);
    }
    return undefined;
  }

  /** The next text frame to send, if there is one; it counts as sent. */
  nextFrame(now: number): string | undefined {
    if (!this.ready) {
      const at = this.signing.nextAt();
      return at === undefined || now < at ? undefined : this.signing.frame(++this.#lastId);
    }
    for (let next = this.#outbox.take(now); next !== undefined; next = this.#outbox.take(now)) {
      if (this.#wanted(next)) {
        this.#sent.set(next.id, next);
        return next.frame;
      }
      next.done.resolve({ type: "ok" });
    }
    return undefined;
  }

  /** Whether it is still of use: another about its topic may have overtaken it while it waited. */
  #wanted({ id, message }: Request): boolean {
    if (message.type === "watch") return this.#topics.get(message.topic)?.asked === id;
    return message.type !== "unwatch" || !this.#topics.has(message.topic);
  }

  /** When `nextFrame` may return something although nothing happens, undefined for never. */
  nextAt(): number | undefined {
    return this.ready ? this.#outbox.nextAt() : this.signing.nextAt();
  }

  // --- the start of a connection -------------------------------------------------------------

  #greet(hello: Hello, now: number): void {
    try {
      this.signing.greeted(hello, now);
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      this.observer.stopped(error);
    }
  }

  #authenticated(reply: Reply, now: number): void {
    this.signing.accepted(reply);
    this.#readyAt = now;
    for (const topic of this.#topics.values()) this.#outbox.add(this.#ask(topic, true));
    this.observer.opened();
  }

  // --- replies -------------------------------------------------------------------------------

  /** The request that was answered. */
  #answered(re: unknown): Request | undefined {
    const request = this.#sent.get(re as number);
    this.#sent.delete(re as number);
    return request;
  }

  #ok(reply: Reply, now: number): void {
    if (this.signing.isAnswered(reply.re)) return this.#authenticated(reply, now);
    const request = this.#answered(reply.re);
    if (request === undefined) return;
    const { message, done } = request;
    if (message.type === "ping" && reply.now !== undefined) this.time.heard(reply.now, now);
    if (message.type === "watch") {
      const topic = this.#topics.get(message.topic);
      if (topic?.asked !== request.id) return;
      topic.answered(reply);
      topic.settle();
      return;
    }
    this.#settleShown(message, reply.seq, () => done.resolve(reply));
  }

  /** Settle a request; the answer to a decision as soon as the document shows what came of it. */
  #settleShown(message: Message, seq: number | undefined, settle: () => void): void {
    const table = message.type === "act" ? this.#topics.get(`room:${message.room}`) : undefined;
    if (table === undefined || seq === undefined) settle();
    else table.waitFor(seq, settle);
  }

  #error(reply: ErrorReply, now: number): void {
    const error = new RefusedError(reply);
    if (this.signing.isAnswered(reply.re)) {
      if (!this.signing.refused(error, now)) this.observer.stopped(error);
      return;
    }
    const request = this.#answered(reply.re);
    if (request === undefined) return;
    const wait = request.patience.wait(error.code, error.retryAfterMs, this.jitter());
    if (wait !== undefined) {
      request.notBefore = now + wait;
      if (error.code === "rate_limited") this.#outbox.pause(request.notBefore, now);
      this.#outbox.add(request);
    } else if (request.message.type === "watch")
      this.#watchRefused(request.message.topic, request.id, error);
    else this.#settleShown(request.message, error.seq, () => request.done.reject(error));
  }

  // --- documents -----------------------------------------------------------------------------

  #ask(topic: Topic, first?: boolean): Request {
    const request = this.#make(topic.question(), first);
    request.done.promise.catch(() => {}); // those who wait for the document wait elsewhere
    topic.asked = request.id;
    return request;
  }

  #watchRefused(name: string, id: number, error: RefusedError): void {
    const topic = this.#topics.get(name);
    if (topic?.asked !== id) return;
    this.#topics.delete(name);
    topic.release(error);
    this.observer.dropped(name, error);
  }

  #state(message: State): void {
    const topic = this.#topics.get(message.topic);
    if (topic === undefined) return;
    const news = topic.state(message);
    if ("clock" in message.doc && !this.time.known)
      void this.request({ type: "ping" }).catch(() => {});
    if (news) this.observer.changed(topic.name, undefined);
    topic.settle();
  }

  #diff(diff: Diff, now: number): Promise<void> | undefined {
    this.time.heard(diff.at, now);
    const topic = this.#topics.get(diff.topic);
    if (topic?.live !== true) return undefined;
    const next = topic.next(diff);
    if (next === undefined || diff.hash === undefined) {
      this.#advance(topic, diff, next);
      return undefined;
    }
    return digest(next).then((found) => {
      if (topic.live && this.#topics.get(diff.topic) === topic)
        this.#advance(topic, diff, found === diff.hash ? next : undefined);
    });
  }

  /** Go on to the next version of a document; without one, ask for the whole. */
  #advance(topic: Topic, diff: Diff, next: JsonObject | undefined): void {
    if (next === undefined) {
      topic.distrust();
      this.#outbox.add(this.#ask(topic));
      return;
    }
    const events = topic.advance(next, diff);
    if (events === undefined) return;
    this.observer.changed(topic.name, events);
    topic.settle();
  }
}
