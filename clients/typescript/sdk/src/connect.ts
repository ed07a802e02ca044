/** How a client comes to be. */

import { Client } from "./client.js";
import { Link } from "./link.js";
import type { Auth } from "./signing.js";
import { platformSocket, type SocketClass } from "./socket.js";
import { VERSION } from "./version.js";

export interface ConnectOptions {
  /** Name of a new guest; the server adds to one that is taken, and picks one if there is none. */
  readonly name?: string | undefined;
  /** Be the user of this token instead: `client.token` of an earlier connection. */
  readonly token?: string | undefined;
  /** Be that registered user. */
  readonly login?: { readonly name: string; readonly password: string } | undefined;
  /** Mark the guest as a bot. */
  readonly bot?: boolean | undefined;
  /** Open a lost connection again, by default without end. */
  readonly reconnect?: boolean | undefined;
  /** Check a hash of each version of a document, and ask for the whole where it differs. */
  readonly verify?: boolean | undefined;
  /** How long a connection may take until the server knows who you are; 10 s by default. */
  readonly openTimeoutMs?: number | undefined;
  /** The class to use where the platform has none: `import WebSocket from "ws"`. */
  readonly WebSocket?: SocketClass | undefined;
}

/**
 * Connect to the server at `url` (`ws://HOST:PORT/ws`). `http://` is taken for `ws://`, and `https://`
 * for `wss://`.
 *
 * With a `token` you are the user it belongs to, with a `login` the registered user of that name.
 * With neither you are a new guest; keep `client.token` to be the same guest another time.
 *
 * A lost connection is opened again with exponential backoff, and everything that was watched goes
 * on as if nothing had happened, unless `reconnect` is false.
 *
 * Rejects with RefusedError if the server refuses a name or a password, and with ConnectionLost if the
 * first connection fails, with `code` 4401 if the server does not know the token and 4403 if the user
 * is banned. Rejects with TypeError if JSON cannot hold what is given.
 */
export async function connect(url: string, options: ConnectOptions = {}): Promise<Client> {
  const { reconnect = true, openTimeoutMs = 10_000, WebSocket = platformSocket() } = options;
  if (options.verify && globalThis.crypto?.subtle === undefined)
    throw new Error("verify needs Web Crypto, which pages have over https or on localhost");
  const link = new Link({
    url: url.replace(/^http(s?):\/\//i, "ws$1://"),
    auth: authOf(options),
    WebSocket,
    reconnect,
    openTimeoutMs,
  });
  await link.open();
  return new Client(link);
}

function authOf({ name, token, login, bot, verify }: ConnectOptions): Auth {
  const client = { name: "hoftag-typescript", version: VERSION };
  const features = verify ? ["hash"] : undefined;
  if (token !== undefined) return { type: "auth", token, client, features };
  if (login === undefined) return { type: "auth", name, bot: bot || undefined, client, features };
  const { name: person, password } = login;
  return { type: "account.login", name: person, password, client, features };
}
