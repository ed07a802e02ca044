// A client in plain Node.js (20 or newer) with no SDK, written from the protocol page alone. It
// opens a public room for Famiglia, plays a game against the bot `greedy`, and checks the shuffle.
//
//     npm install ws && node node_client.mjs --url ws://127.0.0.1:8765/ws
//
//     --drop N              cut the connection on purpose right after sending the N-th action
//     --self-test [FILE]    only check the merge patch against patch_cases.json

import { createHash, createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { isDeepStrictEqual, parseArgs } from "node:util";
import WebSocket from "ws";

const { values: args, positionals } = parseArgs({ allowPositionals: true, options: {
  url: { type: "string", default: "ws://127.0.0.1:8765/ws" },
  drop: { type: "string", default: "0" },
  "self-test": { type: "boolean" },
} });

// ---- documents (section 3) ----------------------------------------------------------------------

const isObject = (x) => typeof x === "object" && x !== null && !Array.isArray(x);

function applyPatch(target, patch) {
  const result = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = isObject(value) ? applyPatch(result[key], value) : value;
  }
  return result;
}

function selfTest(file) {
  const { cases } = JSON.parse(readFileSync(file, "utf8"));
  const bad = cases.filter((c) => !isDeepStrictEqual(applyPatch(c.old, c.patch), c.new));
  for (const c of bad) console.log(`FAILED: ${c.name}`);
  console.log(`${cases.length - bad.length} of ${cases.length} patch cases passed`);
  return bad.length === 0;
}

// ---- fair shuffles (section 7; what is drawn stands in section 10 of Famiglia's rules) ----------

// `fairness` is what the ended room shows, `seen` what we noted as it happened.
function verify(fairness, seats, seen) {
  const seed = Buffer.from(fairness.seed, "hex");
  const nonces = seats.map((seat) => fairness.nonces?.[seat] ?? "");
  const key = createHmac("sha256", seed).update(nonces.join("\n")).digest();
  let i = 0;
  const word = () => {
    const block = Buffer.alloc(8);
    block.writeBigUInt64BE(BigInt(Math.floor(i / 8)));
    const digest = createHash("sha256").update(key).update(block).digest();
    return digest.readUInt32BE(4 * (i++ % 8));
  };
  const below = (n) => {
    for (let w; n > 1;) if ((w = word()) < Math.floor(2 ** 32 / n) * n) return w % n;
    return 0;
  };
  const startSeat = below(2); // the first draw; the second is the shuffle of the pile
  const hands = ["F0a", "M0a", "B0a", "A0a", "F0b", "M0b", "B0c", "A0b"];
  const pile = [..."FMBA"].flatMap((family) => [4, 3, 2, 1, 0].flatMap((rank) =>
    [..."abcde"].slice(0, 5 - rank).map((copy) => family + rank + copy)))
    .filter((card) => !hands.includes(card));
  for (let k = pile.length - 1; k > 0; k--) {
    const j = below(k + 1);
    [pile[k], pile[j]] = [pile[j], pile[k]];
  }
  const street = pile.slice(0, 6);
  const checks = {
    "the commitment fits the seed":
      createHash("sha256").update(seed).digest("hex") === seen.commit,
    [`our nonce is in the key ${key.toString("hex")}`]: nonces[seen.seat] === seen.nonce,
    [`the start seat is ${startSeat}`]: startSeat === seen.startSeat,
    [`the first street is ${street.join(" ")}`]: isDeepStrictEqual(street.sort(), seen.street),
  };
  for (const [what, ok] of Object.entries(checks)) console.log(ok ? "ok    " : "FAILED", what);
  return Object.values(checks).every(Boolean);
}

// ---- an idea of how to play: recruit what counts most, else take, refresh, pass -----------------

const points = (card) => (card[0] === "F" ? [1, 3, 6, 10, 15] : [0, 1, 3, 6, 10])[card[1]];

function value({ type, card, exhaust }) {
  if (type === "recruit") return 1000 + 10 * points(card) - points(exhaust);
  if (type === "take") return 500 + points(card);
  if (type === "refresh") return 100 - points(card);
  return type === "pass" ? 0 : -1; // below it accountants, brutes, and what we do not know
}

const choose = (legal) =>
  legal.reduce((best, action, i) => (value(action) > value(legal[best]) ? i : best), 0);

// ---- the connection (sections 1 to 6) -----------------------------------------------------------

// What outlives a connection: the token, the room, its newest document, the `act` that has no reply
// yet, the newest decision that we answered, and what we note for the check at the end.
let token, room, epoch, seq, doc, pending, answered, acts = 0, backoff = 500, lastId = 0;
const seen = { nonce: randomBytes(16).toString("hex") };

function connect() {
  const ws = new WebSocket(args.url, "hoftag.v1");
  const requests = new Map(); // id -> [message, what to do with its `ok`]
  let syncedAt = Infinity; // from this `seq` on the document is the present one
  let asked = false, afterMs = 0;

  const send = (message, onOk = () => {}) => {
    requests.set(++lastId, [message, onOk]);
    ws.send(JSON.stringify({ ...message, id: lastId }));
  };

  const watch = (since) => {
    syncedAt = Infinity;
    if (!since) doc = undefined;
    send({ type: "watch", topic: `room:${room}`, since }, (ok) => {
      if (since) console.log(`-- back: seq ${since.seq} -> ${ok.seq}, recovered: ${ok.recovered}`);
      syncedAt = ok.seq;
      if (!ok.recovered) doc = undefined; // a `state` follows
      if (pending) act(pending); // no fear: what is stored already is not done twice
      else step(); // if we missed nothing, nothing follows
    });
  };

  const act = (message) => {
    pending = message;
    answered = message.decision;
    send(message, (ok) => {
      if (ok.duplicate) console.log(`-- decision ${message.decision} had been stored before`);
      pending = undefined;
      step(); // a duplicate has no diff that would call it
    });
  };

  // Does what the document asks for; not an old document, whose decision may be answered already.
  const step = () => {
    if (!doc || seq < syncedAt) return;
    const decision = doc.you?.decision;
    if (doc.status === "ended") ws.close(1000);
    else if (doc.status === "open" && !asked) {
      asked = true;
      const free = Object.keys(doc.seats["1"]).length === 0;
      if (free) send({ type: "room.add_bot", room, bot: "greedy" });
      send({ type: "room.ready", room, ready: true });
    } else if (decision && decision.id !== answered && !pending) {
      const choice = choose(decision.legal);
      console.log(`-- decision ${decision.id}: ${JSON.stringify(decision.legal[choice])}`);
      act({ type: "act", room, decision: decision.id, choice });
      if (++acts === Number(args.drop)) ws.terminate();
    }
  };

  const handlers = {
    hello: () => send({ type: "auth", ...(token ? { token } : { name: "node" }) }, (ok) => {
      console.log(`-- I am ${ok.user.name} (${ok.user.id})`);
      token ??= ok.token; // it is shown only once
      backoff = 500;
      if (room) return watch(doc && { epoch, seq });
      const wish = { game: "famiglia", seats: 2, visibility: "public", nonce: seen.nonce };
      send({ type: "room.create", ...wish }, (created) => {
        ({ room, seat: seen.seat } = created);
        console.log(`-- room ${room}, seat ${seen.seat}`);
        watch();
      });
    }),
    ok: (m) => {
      requests.get(m.re)[1](m);
      requests.delete(m.re);
    },
    error: (m) => {
      const [message, onOk] = requests.get(m.re) ?? [];
      requests.delete(m.re);
      console.log(`-- ${message?.type} refused: ${m.code}, ${m.message} ${m.path ?? ""}`);
      if (message?.type === "act" && m.legal) {
        // Another decision is ours, or the same with other actions: `legal` is what there is now.
        act({ type: "act", room, decision: m.decision, choice: choose(m.legal) });
        return;
      }
      if (message?.type === "act" && m.code === "stale_decision") {
        pending = undefined; // the clock was faster; the document tells what comes next
        step();
        return;
      }
      if (!message || !["rate_limited", "unavailable"].includes(m.code)) process.exit(1);
      setTimeout(() => ws.readyState === ws.OPEN && send(message, onOk), m.retry_after_ms ?? 1000);
    },
    state: (m) => {
      if (m.topic !== `room:${room}`) return;
      ({ epoch, seq, doc } = m);
      seen.commit ??= doc.fairness.commit;
      step();
    },
    diff: (m) => {
      if (!doc || m.topic !== `room:${room}`) return; // a `state` is on its way
      if (m.seq !== seq + 1) return watch(); // a gap: ask for the whole document
      ({ seq } = m);
      doc = applyPatch(doc, m.patch);
      for (const event of m.events) console.log(seq, JSON.stringify(event));
      if (m.patch.status === "playing") { // the start has a diff of its own
        seen.startSeat = doc.turn.seat;
        seen.street = Object.keys(doc.view.cards).sort(); // the view knows no order
      }
      step();
    },
    bye: (m) => {
      console.log(`-- bye: ${m.code}, ${m.reason}`);
      afterMs = m.after_ms;
    },
  };

  ws.on("message", (data) => {
    const m = JSON.parse(data);
    handlers[m.type]?.(m); // what we do not know is ignored
  });
  ws.on("error", (error) => console.log(`-- ${error.message}`));
  ws.on("close", (code) => {
    if (doc?.status === "ended") return finish();
    console.log(`-- closed with ${code}`);
    if ((code >= 4400 && code < 4500) || code === 1007 || code === 1009) process.exit(1);
    setTimeout(connect, Math.max(afterMs, backoff));
    backoff = Math.min(2 * backoff, 30_000);
  });
}

function finish() {
  console.log(`result: ${JSON.stringify(doc.result)}`);
  process.exitCode = verify(doc.fairness, Object.keys(doc.seats), seen) ? 0 : 1;
}

if (args["self-test"]) {
  const file = positionals[0] ?? new URL("../protocol/patch_cases.json", import.meta.url);
  process.exitCode = selfTest(file) ? 0 : 1;
} else connect();
