import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { applyPatch, canonical, digest, type JsonObject } from "../src/index.js";
import { ROOT } from "../tools/server.mjs";

type Case = { name: string; old: JsonObject; patch: JsonObject; new: JsonObject; hash: string };
const { cases } = JSON.parse(readFileSync(join(ROOT, "protocol/patch_cases.json"), "utf8")) as {
  cases: Case[];
};

test.each(cases)("$name", async ({ old, patch, new: made, hash }) => {
  const before = canonical(old);
  expect(applyPatch(old, patch)).toStrictEqual(made);
  expect(canonical(old)).toBe(before);
  expect(await digest(made)).toBe(hash);
});

test("what a patch leaves alone is shared, so that comparing by === tells what changed", () => {
  const old = { a: { b: 1 }, c: { d: 2 } };
  const made = applyPatch(old, { c: { d: 3 } });
  expect(made["a"]).toBe(old.a);
  expect(made["c"]).not.toBe(old.c);
});

test("canonical JSON sorts by UTF-16 units and escapes as RFC 8785 does", () => {
  const doc = { "\u20ac": 1, "\r": [true, null], "1": { b: '\u000f"\\\n', a: -0 }, "😀": "é" };
  expect(canonical(doc)).toBe(
    '{"\\r":[true,null],"1":{"a":0,"b":"\\u000f\\"\\\\\\n"},"€":1,"😀":"é"}',
  );
});

test("the hash is the first 16 hex digits of SHA-256", async () => {
  expect(await digest({})).toBe("44136fa355b3678a"); // of the two bytes {}
});
