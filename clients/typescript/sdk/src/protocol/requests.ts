/** Requests and what their `ok` holds: docs/protocol.md has the table of each section. */

import type { Reply, Requests } from "./schema.js";

/** What the `ok` has for certain, by the request's type. */
type Certain = {
  "account.login": "user" | "token";
  "account.password": "user";
  "account.register": "user";
  "account.rename": "user";
  act: "seq";
  auth: "user";
  "games.list": "games";
  ping: "now";
  "queue.join": "ticket";
  "room.add_bot": "seat";
  "room.create": "room";
  "room.join": "seat";
  "room.rematch": "room";
  "token.create": "token" | "user";
  "token.list": "tokens";
  watch: "epoch" | "seq" | "recovered";
};

/** `undefined` stands for a field that is left out. */
type Loose<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };

export type RequestType = keyof Requests;

/** The fields of a request, without `type` and `id`. */
export type Fields<T extends RequestType> = Loose<Omit<Requests[T], "type" | "id">>;

/** A request without its `id`. */
export type Message = { [T in RequestType]: { type: T } & Fields<T> }[RequestType];

/** The `ok` of a request. */
export type ReplyTo<T extends RequestType> = Reply &
  Required<Pick<Reply, T extends keyof Certain ? Certain[T] : never>>;
