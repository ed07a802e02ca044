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
  User,
} from "./protocol/schema.js";
import { Request } from "./request.js";
import type { Document } from "./table.js";
import { Topic } from "./topic.js";

const PROTOCOL_VERSION = 1;
/** How often a request is sent before `unavailable` is handed to the caller. */
const MAX_TRIES = 8;
/** The longest `retry_after_ms` that is waited out; a longer one is the caller's affair. */
const MAX_WAIT_MS = 10_000;
/** How long everything else waits after a request was refused for the rate of messages. */
const MAX_PAUSE_MS = 1000;
/** A connection that has lived so long was a good one: the next is opened without long waits. */
const STABLE_MS = 5_000;

/** The heartbeat where `hello` does not tell it. */
const HEARTBEAT_S = 20;

/** The first message of a connection; `auth` once there is a token. */
export type Auth = Extract<Message, { type: "auth" | "account.login" }>;

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
  hello: Hello | undefined;
  user: User | undefined;
  token: string | undefined;
  reconnectAt: number | undefined;
  #phase: "offline" | "greeting" | "authenticating" | "ready" = "offline";
  #bye: Bye | undefined;
  #failures = 0;
  #readyAt: number | undefined;
  #lastId = 0;
  #authId = 0;
  #authAt: number | undefined;
  #authTries = 0;
  #pausedUntil = 0;
  #queue: Request[] = [];
  #sent = new Map<number, Request>();
  readonly #topics = new Map<string, Topic>();

  constructor(
    private readonly auth: Auth,
    private readonly observer: Observer,
    private readonly jitter: () => number = Math.random,
  ) {
    JSON.stringify(auth); // what cannot be encoded is the caller's error, not the connection's
    this.token = (auth.type === "auth" && auth.token) || undefined;
  }

  // --- what the caller wants -----------------------------------------------------------------

  /** Whether there is a connection that takes requests. */
  get ready(): boolean {
    return this.#phase === "ready";
  }

  /** Whether the server owes a reply. */
  get waiting(): boolean {
    return this.#sent.size > 0;
  }

  /** How often the server gives a sign of life. */
  get heartbeatMs(): number {
    return (this.hello?.heartbeat_s ?? HEARTBEAT_S) * 1000;
  }

  /** Send a message as soon as there is a connection. Throws TypeError if JSON cannot hold it. */
  request(message: Message): Promise<Reply> {
    const request = new Request(++this.#lastId, message);
    this.#queue.push(request);
    return request.done.promise;
  }

  /** Keep the topic's document up to date from now on; the document as soon as it is. */
  watch(name: string, invite?: string): Promise<Document> {
    let topic = this.#topics.get(name);
    if (topic === undefined) {
      topic = new Topic(name, invite, this.time);
      const question = this.#ask(topic); // before anything is kept of what cannot be asked
      this.#topics.set(name, topic);
      if (this.ready) this.#queue.push(question);
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
    for (const { done } of [...this.#queue.splice(0), ...this.#sent.values()]) done.reject(error);
    this.#sent.clear();
    for (const topic of this.#topics.values()) topic.release(error);
  }

  // --- what the shell does -------------------------------------------------------------------

  /** A new connection is open. The server speaks first. */
  connected(): void {
    this.#phase = "greeting";
    this.#bye = undefined;
    this.time.forget();
  }

  /** The connection is gone, or could not be opened (no `code`). */
  disconnected(code: number | undefined, reason: string, now: number): void {
    this.#phase = "offline";
    this.#authAt = undefined;
    const lived = this.#readyAt !== undefined && now - this.#readyAt >= STABLE_MS;
    this.#readyAt = undefined;
    this.#failures = lived ? 1 : this.#failures + 1; // one that ends at once is a failure as well
    const after = Math.max(delay(this.#failures, this.jitter()), this.#bye?.after_ms ?? 0);
    const stop = !shouldReconnect(code) || this.#bye?.reconnect === false;
    this.reconnectAt = stop ? undefined : now + after;
    for (const topic of this.#topics.values()) topic.interrupted();
    const lost = new ConnectionLost(reason, code);
    const underWay = [...this.#sent.values()];
    const unsent = this.#queue;
    this.#sent.clear();
    this.#queue = [];
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
        this.#queue.push(request);
        break;
      default:
        if (lost === undefined) this.#queue.push(request);
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
    if (this.#phase === "authenticating" && this.#authAt !== undefined)
      return now >= this.#authAt ? this.#authenticate() : undefined;
    if (!this.ready || now < this.#pausedUntil) return undefined;
    const index = this.#queue.findIndex(({ notBefore }) => notBefore <= now);
    const [request] = index < 0 ? [] : this.#queue.splice(index, 1);
    if (request === undefined) return undefined;
    this.#sent.set(request.id, request);
    request.tries += 1;
    return request.frame;
  }

  /** When `nextFrame` may return something although nothing happens, undefined for never. */
  nextAt(): number | undefined {
    if (this.#phase === "authenticating") return this.#authAt;
    if (!this.ready || this.#queue.length === 0) return undefined;
    return Math.max(this.#pausedUntil, Math.min(...this.#queue.map((each) => each.notBefore)));
  }

  // --- the start of a connection -------------------------------------------------------------

  #greet(hello: Hello, now: number): void {
    this.hello = hello;
    if (hello.protocol !== PROTOCOL_VERSION) {
      const text = `the server speaks protocol ${hello.protocol}, not ${PROTOCOL_VERSION}`;
      this.observer.stopped(new ConnectionLost(text));
      return;
    }
    this.#phase = "authenticating";
    this.#authAt = now;
  }

  #authenticate(): string {
    const { client, features } = this.auth;
    const known = { type: "auth", token: this.token, client, features };
    this.#authAt = undefined;
    this.#authId = ++this.#lastId;
    return JSON.stringify({ ...(this.token === undefined ? this.auth : known), id: this.#authId });
  }

  #authenticated({ user, token = this.token }: Reply, now: number): void {
    this.user = user;
    this.token = token;
    this.#phase = "ready";
    this.#readyAt = now;
    this.#authTries = 0;
    this.#queue.unshift(...[...this.#topics.values()].map((topic) => this.#ask(topic)));
    this.observer.opened();
  }

  #authRefused(error: RefusedError, now: number): void {
    this.#authTries += 1;
    const passing = error.code === "rate_limited" || error.code === "unavailable";
    const wait = error.retryAfterMs ?? delay(this.#authTries, this.jitter());
    if (!passing || this.#authTries >= MAX_TRIES || wait > MAX_WAIT_MS)
      this.observer.stopped(error);
    else this.#authAt = now + wait;
  }

  // --- replies -------------------------------------------------------------------------------

  /** The request that was answered. */
  #answered(re: unknown): Request | undefined {
    const request = this.#sent.get(re as number);
    this.#sent.delete(re as number);
    return request;
  }

  #ok(reply: Reply, now: number): void {
    if (this.#phase === "authenticating" && reply.re === this.#authId)
      return this.#authenticated(reply, now);
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
    if (this.#phase === "authenticating" && reply.re === this.#authId)
      return this.#authRefused(error, now);
    const request = this.#answered(reply.re);
    if (request === undefined) return;
    const wait = error.retryAfterMs ?? 100;
    if (error.code === "rate_limited" && wait <= MAX_WAIT_MS) {
      request.notBefore = now + wait;
      this.#pausedUntil = Math.max(this.#pausedUntil, now + Math.min(wait, MAX_PAUSE_MS));
      const next = this.#queue.findIndex((each) => each.id > request.id);
      this.#queue.splice(next < 0 ? this.#queue.length : next, 0, request);
    } else if (error.code === "unavailable" && request.tries < MAX_TRIES) {
      request.notBefore = now + delay(request.tries, this.jitter());
      this.#queue.push(request);
    } else if (request.message.type === "watch") {
      this.#watchRefused(request.message.topic, request.id, error);
    } else this.#settleShown(request.message, error.seq, () => request.done.reject(error));
  }

  // --- documents -----------------------------------------------------------------------------

  #ask(topic: Topic): Request {
    const request = new Request(++this.#lastId, topic.question());
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
    const { doc } = topic.state(message);
    if ("clock" in doc && !this.time.known) void this.request({ type: "ping" }).catch(() => {});
    this.observer.changed(topic.name, undefined);
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
      this.#queue.push(this.#ask(topic));
      return;
    }
    const events = topic.advance(next, diff);
    if (events === undefined) return;
    this.observer.changed(topic.name, events);
    topic.settle();
  }
}
