// A bot for any game, in JavaScript: it reads a line for each decision and writes a line back.
// docs/programs.md describes the lines. Its chance comes from the seed that it is given, so that
// games can be repeated.
import { createInterface } from "node:readline";

let random = Math.random;

/** Numbers from 0 to 1 that follow from a text (mulberry32 over an FNV-1a hash). */
function seeded(text) {
  let state = 2166136261;
  for (const char of text) state = Math.imul(state ^ char.codePointAt(0), 16777619);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function decide({ legal, decision }) {
  const busy = legal.filter((action) => action.type !== "pass");
  const choices = busy.length ? busy : legal;
  return { action: choices[Math.floor(random() * choices.length)], decision };
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  switch (message.type) {
    case "start":
      if (message.seed !== null) random = seeded(message.seed);
      break;
    case "decide":
      process.stdout.write(JSON.stringify(decide(message)) + "\n");
      break;
    case "end":
      console.error(`seat ${message.seat}: ${JSON.stringify(message.result)}`);
      break;
    default: // what a later version adds
  }
}
