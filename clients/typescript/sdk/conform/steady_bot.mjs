// A bot that keeps playing whatever happens: `node steady_bot.mjs URL [GAME [SEATS [HOW]]]`.
//
//     hoftag conform client -- node clients/typescript/sdk/conform/steady_bot.mjs {url}
//
// plays the hard cases at it. HOW is `act`, in a loop of its own, or `play`, by the client's. Without a
// URL it reads lines of arguments, and plays them side by side.

import { createInterface } from "node:readline";
import WebSocket from "ws"; // Node.js 20 has none of its own

import { connect, RefusedError } from "../dist/index.js";

const pick = ({ legal }) => Math.floor(Math.random() * legal.length);

/** The loop that asks a bot, as an author of a client would write it. */
async function steadily(client, table) {
  for await (const _ of client.changes(table)) {
    if (table.result !== undefined) return;
    while (table.decision !== undefined) {
      try {
        await client.act(table, pick(table));
      } catch (refused) {
        if (!(refused instanceof RefusedError)) throw refused;
        if (refused.decision !== table.decision) break; // a change will tell
      }
    }
  }
}

async function play(url, game = "famiglia", seats = "2", how = "act") {
  const client = await connect(url, { name: "ada", bot: true, verify: true, WebSocket });
  const table = await client.createRoom(game, { seats: Number(seats) });
  for (let seat = 1; seat < table.seats; seat += 1) await client.addBot(table, "random");
  await client.ready(table);
  if (how === "act") await steadily(client, table);
  else await client.play({ choose: (seen) => seen.legal[pick(seen)] }, table);
  client.close();
  return table.result;
}

function tell(words) {
  play(...words).then(
    (result) => console.log(words[0], JSON.stringify(result)),
    (error) => console.log(words[0], String(error)),
  );
}

if (process.argv.length > 2) tell(process.argv.slice(2));
else createInterface({ input: process.stdin }).on("line", (line) => tell(line.split(" ")));
