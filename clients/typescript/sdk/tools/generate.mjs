// Writes src/protocol/schema.ts from the JSON Schema of the protocol: a type for each message and
// document, what each game's are, and the codes with what to do about them.
//
//     node tools/generate.mjs           write it
//     node tools/generate.mjs --check   exit with 1 if it is not what the schema says

import { readFileSync, writeFileSync } from "node:fs";
import { argv, exit } from "node:process";

const SCHEMA = new URL("../../../../protocol/schema.json", import.meta.url);
const TARGET = new URL("../src/protocol/schema.ts", import.meta.url);
const HEAD = `// Made from protocol/schema.json by tools/generate.mjs; change that, not this.

/** Any JSON object. */
export type JsonObject = { [key: string]: unknown };
`;
const GAME_PARTS = {
  Action: "action",
  Event: "event",
  Options: "options",
  PublicView: "view",
  PrivateView: "private",
};

const union = (types) => [...new Set(types)].join(" | ");
const comment = (text, indent = "") =>
  text ? `${indent}/** ${text.replaceAll("\n", `\n${indent} * `)} */\n` : "";

function typeOf(schema, indent = "") {
  if (schema.$ref) return schema.$ref.replace("#/$defs/", "");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices && schema.type !== "object")
    return union(choices.map((choice) => typeOf(choice, indent)));
  switch (schema.type) {
    case "object":
      return objectOf(schema, indent);
    case "array":
      return arrayOf(schema, indent);
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "integer":
      return "number";
  }
  throw new Error(`no type for ${JSON.stringify(schema)}`);
}

function arrayOf(schema, indent) {
  if (schema.prefixItems)
    return `[${schema.prefixItems.map((each) => typeOf(each, indent)).join(", ")}]`;
  const item = typeOf(schema.items, indent);
  return item.includes("|") ? `(${item})[]` : `${item}[]`;
}

function objectOf(schema, indent) {
  const { properties = {}, required = [], additionalProperties: other } = schema;
  if (other === true) return "JsonObject";
  if (other) return `{ [key: string]: ${typeOf(other, indent)} }`;
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, member]) => {
    const optional = required.includes(name) ? "" : "?";
    const about = comment(member.description, inner);
    return `${about}${inner}${name}${optional}: ${typeOf(member, inner)};\n`;
  });
  return members.length === 0 ? "{ [key: string]: never }" : `{\n${members.join("")}${indent}}`;
}

/** What a game's definitions are called begins with its name. */
function games(names) {
  const games = names.filter((name) => name.endsWith("PublicView"));
  const rows = games.map((name) => {
    const prefix = name.replace("PublicView", "");
    const parts = Object.entries(GAME_PARTS).map(
      ([suffix, part]) => `    ${part}: ${prefix}${suffix};\n`,
    );
    return `  ${prefix.toLowerCase()}: {\n${parts.join("")}  };\n`;
  });
  const about = "What actions, events, options and views are, by the name of the game.";
  return `${comment(about)}export type Games = {\n${rows.join("")}};\n`;
}

function codes(name, of, { description, oneOf }, flag) {
  const rows = oneOf.map((row) => {
    const { const: code, description: meaning } = row;
    const value = row[`x-${flag}`];
    return `  ${code}: { meaning: ${JSON.stringify(meaning)}, ${flag}: ${value} },\n`;
  });
  const type = `Readonly<Record<${of}, { readonly meaning: string; readonly ${flag}: boolean }>>`;
  return `${comment(description)}export const ${name}: ${type} = {\n${rows.join("")}};\n`;
}

/** The requests by their \`type\`, which is in each message that a client sends. */
function requests(defs) {
  const names = defs.ClientMessage.oneOf.map((choice) => typeOf(choice));
  const rows = names.map(
    (name) => `  ${JSON.stringify(defs[name].properties.type.const)}: ${name};\n`,
  );
  const about = "The messages of a client by their `type`.";
  return `${comment(about)}export type Requests = {\n${rows.join("")}};\n`;
}

function source({ $defs: defs }) {
  const types = Object.entries(defs).map(
    ([name, schema]) => `${comment(schema.description)}export type ${name} = ${typeOf(schema)};\n`,
  );
  return [
    HEAD,
    ...types,
    requests(defs),
    games(Object.keys(defs)),
    codes("ERROR_CODES", "ErrorCode", defs.ErrorCode, "retriable"),
    codes("CLOSE_CODES", "CloseCode", defs.CloseCode, "reconnect"),
  ].join("\n");
}

const fresh = source(JSON.parse(readFileSync(SCHEMA, "utf8")));
if (!argv.includes("--check")) writeFileSync(TARGET, fresh);
else if (readFileSync(TARGET, "utf8") !== fresh) {
  console.error("src/protocol/schema.ts is not what protocol/schema.json says: npm run generate");
  exit(1);
}
