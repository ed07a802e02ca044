/** Clients for tests, closed when the test is over. */

import { inject, onTestFinished } from "vitest";
import WebSocket from "ws";
import {
  connect,
  type Action,
  type Client,
  type ConnectOptions,
  type Document,
  type Table,
} from "../src/index.js";

export async function join(options: ConnectOptions = {}, url = inject("url")): Promise<Client> {
  const client = await connect(url, { WebSocket, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** A game of its own against bots of the server, ready to be played, always with the same cards. */
export async function game<G extends string>(
  client: Client,
  name: G,
  seats = 2,
): Promise<Table<G>> {
  const seed = "7".repeat(64);
  const table = await client.createRoom(name, { seats, seed, onTimeout: "default" });
  for (let seat = 1; seat < seats; seat++) await client.addBot(table, "random");
  await client.ready(table);
  return table;
}

/** Wait until a document is as it should be. */
export async function until<D extends object>(
  client: Client,
  document: Document<D>,
  met: () => boolean,
): Promise<void> {
  for await (const _ of client.changes(document)) if (met()) return;
  throw new Error("the document was let go");
}

/** A bot that takes the legal list's entries in turn: equal games each time. */
export class InTurn<G extends string> {
  #count = 0;

  choose({ legal }: Table<G>): Action<G> {
    return legal[this.#count++ % legal.length]!;
  }
}
