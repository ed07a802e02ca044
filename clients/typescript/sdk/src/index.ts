/** Everything that `import ... from "hoftag"` offers. */

export type { Bot } from "./bot.js";
export type { Change, Changes, Notice } from "./changes.js";
export type { Answer, Client, RoomChanges, RoomOptions } from "./client.js";
export { connect, type ConnectOptions } from "./connect.js";
export { ConnectionLost, HoftagError, RefusedError, TicketLost } from "./errors.js";
export { applyPatch, canonical, digest } from "./protocol/patch.js";
export type { Fields, ReplyTo, RequestType } from "./protocol/requests.js";
export * from "./protocol/schema.js";
export type { QueueOptions, Ticket } from "./queue.js";
export type { Socket, SocketClass } from "./socket.js";
export { Document, Table } from "./table.js";
export type { Action, GameEvent, Options, RoomDoc, View, YouDoc } from "./table.js";
export { VERSION } from "./version.js";
