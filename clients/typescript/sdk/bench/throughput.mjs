// How fast the client takes in what a real server sends, and what that costs:
//
//     npm run bench --workspace sdk [-- --rounds N --messages N]
//
// Printed are the medians of the rounds: messages a second over loopback, and for each message the
// CPU time of this process (`process.cpuUsage`), which is that of the client and its sockets. The
// server runs beside it on the same machine and is what is mostly waited for.

import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import WebSocket from "ws";
import { connect } from "../dist/index.js";
import { Server } from "../tools/server.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    messages: { type: "string", default: "1000" },
  },
});
const rounds = Number(values.rounds);
const messages = Number(values.messages);

const median = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Run `work`, which resolves to how many messages it dealt with; the first time warms up. */
async function measure(name, work) {
  const runs = [];
  await work();
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    const start = performance.now();
    const count = await work();
    const { user, system } = process.cpuUsage(before);
    runs.push({
      rate: (1000 * count) / (performance.now() - start),
      cost: (user + system) / count,
    });
  }
  const rate = Math.round(median(runs.map((run) => run.rate)));
  const cost = Math.round(median(runs.map((run) => run.cost)));
  console.log(
    `${name.padEnd(32)} ${String(rate).padStart(7)} /s ${String(cost).padStart(7)} µs CPU`,
  );
}

async function requests(client) {
  for (let sent = 0; sent < messages; sent += 100)
    await Promise.all(Array.from({ length: 100 }, (_, t) => client.request("ping", { t })));
  return messages;
}

/** An open room that somebody changes all the time, and a client that watches it. */
async function flood(url, verify) {
  const host = await connect(url, { WebSocket });
  const { id } = await host.createRoom("staufer", { seats: 5 });
  const reader = await connect(url, { WebSocket, verify });
  const table = await reader.watchRoom(id);
  const feeder = spawn(
    process.execPath,
    [new URL("feeder.mjs", import.meta.url).pathname, url, host.token, id],
    {
      stdio: ["pipe", "inherit", "inherit"],
    },
  );
  host.close();
  const diffs = async () => {
    const first = table.seq;
    feeder.stdin.write(`${messages}\n`);
    for await (const _ of reader.changes(table)) if (table.seq >= first + messages) break;
    return table.seq - first;
  };
  return { diffs, end: () => (feeder.stdin.end(), reader.close()) };
}

/** A whole game against a bot of the server; what counts are our answers. */
async function game(client) {
  let answers = 0;
  const table = await client.createRoom("famiglia", { seats: 2, seed: "7".repeat(64) });
  await client.addBot(table, "random");
  await client.ready(table);
  await client.play({ choose: ({ legal }) => legal[answers++ % legal.length] }, table);
  await client.unwatch(table);
  return answers;
}

const server = await Server.start("--messages-burst", "1000000", "--messages-per-s", "1000000");
try {
  const client = await connect(server.url, { WebSocket });
  await measure("request and reply", () => requests(client));
  await measure("answer to a decision, and diffs", () => game(client));
  client.close();
  for (const verify of [false, true]) {
    const { diffs, end } = await flood(server.url, verify);
    await measure(verify ? "diff, hash checked" : "diff", diffs);
    end();
  }
} finally {
  await server.dispose();
}
