/**
 * The start of each connection: `hello`, then `auth` until the server takes it. Pure.
 *
 * A part of `session.ts`, which says what came and asks what is to be sent.
 */

import { Patience } from "./backoff.js";
import { ConnectionLost, type RefusedError } from "./errors.js";
import type { Message } from "./protocol/requests.js";
import type { Hello, Reply, User } from "./protocol/schema.js";

const PROTOCOL_VERSION = 1;

/** The first message of a connection; `auth` once there is a token. */
export type Auth = Extract<Message, { type: "auth" | "account.login" }>;

/**
 * Who we are to the server, and how far the present connection has come.
 *
 * `hello`, `user` and `token` stay what the server said last.
 */
export class SigningIn {
  hello: Hello | undefined;
  user: User | undefined;
  token: string | undefined;
  #done = false;
  /** The id of the `auth` under way. */
  #id: number | undefined;
  #at: number | undefined;
  #patience = new Patience();

  /** Throws TypeError if JSON cannot hold `auth`. */
  constructor(
    private readonly auth: Auth,
    private readonly jitter: () => number,
  ) {
    JSON.stringify(auth); // what cannot be encoded is the caller's error, not the connection's
    this.token = (auth.type === "auth" && auth.token) || undefined;
  }

  /** Whether the server knows who we are on this connection. */
  get done(): boolean {
    return this.#done;
  }

  /** The connection is gone. */
  disconnected(): void {
    this.#done = false;
    this.#id = this.#at = undefined;
  }

  /** Throws ConnectionLost if the server speaks another version of the protocol. */
  greeted(hello: Hello, now: number): void {
    const { protocol } = (this.hello = hello);
    if (protocol !== PROTOCOL_VERSION)
      throw new ConnectionLost(`the server speaks protocol ${protocol}, not ${PROTOCOL_VERSION}`);
    this.#at = now;
  }

  /** When to send `auth`, undefined if there is something else to wait for. */
  nextAt(): number | undefined {
    return this.#at;
  }

  /** The `auth`; it counts as sent. */
  frame(id: number): string {
    const { client, features } = this.auth;
    const known = { type: "auth", token: this.token, client, features };
    this.#at = undefined;
    this.#id = id;
    return JSON.stringify({ ...(this.token === undefined ? this.auth : known), id });
  }

  /** Whether a reply is the one to our `auth`. */
  isAnswered(re: unknown): boolean {
    return this.#id !== undefined && this.#id === re;
  }

  /** The server knows us. */
  accepted({ user, token = this.token }: Reply): void {
    this.user = user;
    this.token = token;
    this.#done = true;
    this.#id = undefined;
    this.#patience = new Patience();
  }

  /** Whether there is use in another try. */
  refused(error: RefusedError, now: number): boolean {
    this.#id = undefined;
    const wait = this.#patience.wait(error.code, error.retryAfterMs, this.jitter());
    if (wait === undefined) return false;
    this.#at = now + wait;
    return true;
  }
}
