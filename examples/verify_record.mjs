// Checks the record of a finished game from nothing but the published rules: plain Node.js (20 or
// newer), no packages, not a line in common with the server.
//
//     node verify_record.mjs http://127.0.0.1:8765/api/games/ROOM [--commit HEX]
//     node verify_record.mjs games.jsonl [--catalog catalog.json] [--commit HEX]
//
// ROOM is the id of the room, which `hoftag bot` prints. A file holds one record, or one on each line
// as `hoftag arena --out` and `hoftag export` write them. `--commit` is the commitment that you saw
// before the game began. It shows that the seed was fixed then; docs/protocol.md, "Fair shuffles". Of
// Famiglia every card is followed through the game; of Die Staufer the setup is dealt again (from the
// catalog of the same server, or a file), and printed for you to compare with what the board showed.

const USAGE = `usage: node verify_record.mjs PLACE [--commit HEX] [--catalog PLACE]

PLACE      http://HOST:PORT/api/games/ROOM, or a file with one record on each line
--commit   the commitment (fairness.commit) that you saw before the game
--catalog  of Die Staufer: http://HOST:PORT/api/catalog/staufer, or a file

exit code  0 the record is sound, 1 it is wrong, 2 the command line is wrong,
           3 there is no record to be had there`;

import { createHash, createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const sure = (fact, words) => {
  if (!fact) throw new Error(words);
};

// ---- the random stream (docs/protocol.md, "Fair shuffles") --------------------------------------

/** Words of SHA-256(key || counter), 32 bits each. */
class Stream {
  constructor(key) {
    this.key = key;
    this.i = 0;
  }

  word() {
    const block = Buffer.alloc(8);
    block.writeBigUInt64BE(BigInt(Math.floor(this.i / 8)));
    return sha256(this.key, block).readUInt32BE(4 * (this.i++ % 8));
  }

  below(n) {
    if (n === 1) return 0;
    for (;;) {
      const word = this.word();
      if (word < Math.floor(2 ** 32 / n) * n) return word % n;
    }
  }

  shuffle(items) {
    const mixed = [...items];
    for (let k = mixed.length - 1; k > 0; k--) {
      const j = this.below(k + 1);
      [mixed[k], mixed[j]] = [mixed[j], mixed[k]];
    }
    return mixed;
  }
}

/** The stream of a game whose seed is what was promised. */
function open({ fairness, seats }, promised) {
  const seed = Buffer.from(fairness.seed, "hex");
  sure(fairness.stream === 1, `the stream ${fairness.stream} is unknown`);
  sure(seed.length === 32, "the seed has not 32 bytes");
  sure(sha256(seed).toString("hex") === fairness.commit, "the seed is not the one committed to");
  sure(!promised || promised === fairness.commit, "the record has another commitment than you saw");
  const nonces = Object.keys(seats).map((_, seat) => fairness.nonces?.[seat] ?? "");
  const key = createHmac("sha256", seed).update(nonces.join("\n")).digest();
  console.log(`commit  ${fairness.commit}${fairness.seed_chosen ? ", of a seed that was chosen" : ""}`);
  console.log(`key     ${key.toString("hex")}`);
  return new Stream(key);
}

// ---- Famiglia (docs/rules/famiglia.md) ----------------------------------------------------------

const COPIES = [5, 4, 3, 2, 1]; // by rank
const ACTIONS = ["refresh", "accountant", "swap", "brute", "take", "recruit", "pass"];
const POINTS = [0, 1, 3, 6, 10];
const LA_FAMIGLIA = [1, 3, 6, 10, 15];
const HANDS = [["F0a", "M0a", "B0a", "A0a"], ["F0b", "M0b", "B0c", "A0b"]];

const rank = (card) => Number(card[1]);
const type = (card) => card.slice(0, 2);
const points = (card) => (card[0] === "F" ? LA_FAMIGLIA : POINTS)[rank(card)];

function deck() {
  const cards = [];
  for (const family of "FMBA")
    for (const r of [4, 3, 2, 1, 0])
      for (const copy of "abcde".slice(0, COPIES[r])) cards.push(`${family}${r}${copy}`);
  return cards.filter((card) => !HANDS.flat().includes(card));
}

/** Take the copy of a type with the lowest letter out of a zone, and say which one it was. */
function take(zone, kind, where, but) {
  const card = zone.filter((c) => type(c) === kind && c !== but).sort()[0];
  sure(card !== undefined, `no ${kind} is ${where}`);
  zone.splice(zone.indexOf(card), 1);
  return card;
}

class Famiglia {
  constructor(stream, { end_now }) {
    this.stream = stream;
    this.endNow = end_now;
    this.seat = this.start = stream.below(2);
    this.pile = stream.shuffle(deck());
    this.street = this.pile.splice(0, 6);
    console.log(`start   seat ${this.start}`);
    console.log(`street  ${this.street.join(" ")}`);
    console.log(`pile    ${this.pile.join(" ")}`);
    this.hands = HANDS.map((hand) => [...hand]);
    this.displays = [[], []];
    this.discard = [];
    this.second = false; // whether the second pile is drawn from
    this.turn = this.passes = 0;
    this.lastTurn = Infinity;
    this.over = undefined;
    this.begin();
  }

  begin() {
    this.seat = (this.start + this.turn) % 2;
    this.lowered = this.at = undefined;
    this.by = 0;
  }

  play(action) {
    sure(this.over === undefined, "the game was over");
    sure(ACTIONS.includes(action.type), `there is no action ${action.type}`);
    this[action.type](action);
    if (["take", "recruit", "pass"].includes(action.type)) this.end();
  }

  draw(count, lastTurn) {
    for (; count > 0 && this.pile.length > 0; count--) {
      this.street.push(this.pile.shift());
      if (this.pile.length > 0) continue;
      if (!this.second) {
        this.pile = this.stream.shuffle(this.discard.splice(0));
        this.second = true;
      }
      if (this.pile.length === 0) this.lastTurn = lastTurn;
    }
  }

  refresh({ card }) {
    sure(this.street.every((c) => rank(c) > 0), "a card of rank 0 lies on the street");
    const gone = take(this.street, card, "on the street");
    (this.second ? this.pile : this.discard).push(gone);
    this.draw(rank(gone), this.turn | 1);
  }

  accountant({ rank: r }) {
    this.at = this.exhaust(`A${r}`);
  }

  swap({ give, take: back }) {
    const fetched = take(this.displays[this.seat], back, "in the display", this.at);
    this.exhaust(give);
    this.hands[this.seat].push(fetched);
  }

  brute({ rank: r, card, by }) {
    sure(by <= r && by <= rank(card), `a B${r} cannot lower ${card} by ${by}`);
    this.exhaust(`B${r}`);
    this.lowered = take(this.street, card, "on the street");
    this.street.push(this.lowered);
    this.by = by;
  }

  take({ card }) {
    const free = (c) => rank(c) - (c === this.lowered ? this.by : 0) === 0;
    this.gain(take(this.street.filter(free), card, "free on the street"));
  }

  recruit({ card, natural, second, exhaust }) {
    const effective = Number(natural[1]) + 1;
    sure(natural[0] === card[0], `${natural} is not of the family of ${card}`);
    const fits = (c) => rank(c) - (c === this.lowered ? this.by : 0) === effective;
    const wanted = take(this.street.filter(fits), card, `on the street at rank ${effective}`);
    const joker = second[0] === "M" && Number(second[1]) >= effective;
    sure(second === natural || joker, `${second} is neither ${natural} nor a joker`);
    sure([natural, second].includes(exhaust), `${exhaust} was not shown`);
    const hand = [...this.hands[this.seat]];
    for (const shown of [natural, second]) take(hand, shown, "in the hand");
    this.exhaust(exhaust);
    this.gain(wanted);
  }

  pass() {
    this.passes++;
  }

  exhaust(kind) {
    const card = take(this.hands[this.seat], kind, "in the hand");
    this.displays[this.seat].push(card);
    return card;
  }

  gain(card) {
    this.street.splice(this.street.indexOf(card), 1);
    this.hands[this.seat].push(card);
    this.passes = 0;
  }

  end() {
    const round = this.turn % 2 === 1 && !this.endNow ? 2 : 0;
    if (this.street.length === 0) this.draw(6, (this.turn | 1) + round);
    if (this.turn >= this.lastTurn) this.over = "last_card";
    else if (this.passes === 2) this.over = "two_passes";
    else this.turn++;
    if (this.over === undefined) this.begin();
  }

  /** Points by seat, and how much the best card counts, which decides a tie. */
  scores() {
    const values = [0, 1].map((seat) => [...this.hands[seat], ...this.displays[seat]].map(points));
    return values.map((all) => [all.reduce((a, b) => a + b), Math.max(...all)]);
  }
}

function follow(record, game) {
  let resigned = false;
  for (const [index, entry] of record.entries.entries()) {
    try {
      if (entry.type === "act") {
        sure(entry.seat === game.seat, `it was the turn of seat ${game.seat}`);
        game.play(entry.action);
      } else if (entry.type === "resign") {
        resigned = true;
      }
    } catch (error) {
      throw new Error(`entry ${index}: ${error.message}`);
    }
  }
  const { reason, scores, placement } = record.result;
  const [[first, best], [second, other]] = game.scores();
  sure(scores[0] === first && scores[1] === second, `the scores are ${first} and ${second}`);
  if (!resigned) {
    const ahead = first - second || best - other;
    sure(game.over === reason, `the game did not end by ${reason}`);
    sure(Math.sign(placement[1] - placement[0]) === Math.sign(ahead), "the places are others");
  }
  console.log(`entries ${record.entries.length}: every card was where it had to be`);
  console.log(`scores  ${first} and ${second}`);
}

// ---- Die Staufer (docs/rules/staufer.md, section 2) ---------------------------------------------

function setUp(record, stream, catalog) {
  sure(catalog.edition.sha256 === record.edition.sha256, "the catalog is of another edition");
  const seats = Object.keys(record.seats).length;
  const kind = (number) => Object.keys(catalog.jobs).filter((id) => catalog.jobs[id].kind === number);
  const chests = Object.entries(catalog.chests).flatMap(([id, { count }]) => Array(count).fill(id));
  const regions = Object.keys(catalog.regions);
  const ring = stream.shuffle(regions);
  const tiles = stream.shuffle(catalog.tiles);
  const stack = stream.shuffle(chests);
  const start = stream.below(seats);
  const jobs = [1, 2, 3].map((number) => stream.shuffle(kind(number)).slice(0, seats));
  const [a, b, c] = ["a", "b", "c"].map((row) => stream.shuffle(catalog.rounds[row]));
  console.log(`ring    ${ring.join(" ")}`);
  console.log(`tiles   ${regions.map((id, index) => `${id} ${tiles[index].join("/")}`).join(", ")}`);
  console.log(`chests  ${stack.join(" ")}`);
  console.log(`start   seat ${start}`);
  for (let seat = 0; seat < seats; seat++)
    console.log(`jobs    seat ${seat}: ${jobs.map((drawn) => drawn[seat]).join(" ")}`);
  for (const [row, drawn] of Object.entries({ a, b, c })) console.log(`rows ${row}  ${drawn.join(" ")}`);
  const first = record.entries.find((entry) => entry.type === "act");
  sure(first === undefined || first.seat === start, `seat ${start} had to begin`);
}

// ---- what is asked ------------------------------------------------------------------------------

/** There is nothing to judge; `code` is the exit code. */
class Trouble extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

const NO_USE = 2;
const NOT_THERE = 3;

const isUrl = (place) => /^https?:/.test(place);

/** What a file or an address holds: one JSON value, or one on each line. */
async function read(place) {
  const text = await (isUrl(place) ? get(place) : readFile(place, "utf8")).catch((error) => {
    if (error instanceof Trouble) throw error;
    throw new Trouble(`cannot read ${place}: ${error.cause?.message ?? error.message}`, NOT_THERE);
  });
  try {
    return [JSON.parse(text)];
  } catch {
    const lines = text.split("\n").filter((line) => line.trim());
    return lines.map((line, index) => {
      try {
        return JSON.parse(line);
      } catch {
        throw new Trouble(`${place}: line ${index + 1} is not JSON`, NOT_THERE);
      }
    });
  }
}

async function get(place) {
  const answer = await fetch(place);
  if (answer.status === 404)
    throw new Trouble(`${place}: there is no record; the game runs, or there is none of that id`, NOT_THERE);
  if (!answer.ok) throw new Trouble(`${place}: the server answers ${answer.status}`, NOT_THERE);
  return answer.text();
}

function asked() {
  const options = {
    catalog: { type: "string" },
    commit: { type: "string" },
    help: { type: "boolean", short: "h" },
  };
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    if (!values.help && positionals.length !== 1) throw new Error("name one file or address");
    return { ...values, place: positionals[0] };
  } catch (error) {
    throw new Trouble(`${error.message}\n\n${USAGE}`, NO_USE);
  }
}

async function check(record, { place, catalog, commit }) {
  if (!record?.fairness?.commit || !record.seats || !Array.isArray(record.entries))
    throw new Trouble(`${place} holds something else than records of games`, NOT_THERE);
  if (record.game === "famiglia") {
    follow(record, new Famiglia(open(record, commit), record.options));
  } else if (record.game === "staufer") {
    const found = catalog ?? (isUrl(place) ? String(new URL("/api/catalog/staufer", place)) : "");
    if (!found) throw new Trouble("name the catalog of the game: --catalog PLACE", NO_USE);
    setUp(record, open(record, commit), (await read(found))[0]);
  } else {
    throw new Trouble(`the game ${record.game} is unknown here`, NOT_THERE);
  }
}

async function main() {
  const wanted = asked();
  if (wanted.help) return console.log(USAGE);
  const records = await read(wanted.place);
  if (records.length === 0) throw new Trouble(`${wanted.place} is empty`, NOT_THERE);
  for (const [index, record] of records.entries()) {
    if (records.length > 1) console.log(`-- game ${index + 1} of ${records.length}`);
    await check(record, wanted);
    console.log("the record is sound");
  }
}

main().catch((error) => {
  const judged = !(error instanceof Trouble);
  console.error(judged ? `the record is wrong: ${error.message}` : error.message);
  process.exitCode = judged ? 1 : error.code;
});
