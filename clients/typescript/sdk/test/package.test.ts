import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { VERSION } from "../src/index.js";

const HERE = fileURLToPath(new URL("..", import.meta.url));

test("the version is the package's, which depends on nothing", () => {
  const described = JSON.parse(readFileSync(`${HERE}/package.json`, "utf8"));
  expect(VERSION).toBe(described.version);
  expect(described).not.toHaveProperty("dependencies");
});

test("the package holds what is built, and what it is", () => {
  const options = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const [packed] = JSON.parse(execFileSync("npm", options, { cwd: HERE, encoding: "utf8" }));
  const files: string[] = packed.files.map(({ path }: { path: string }) => path);
  const outside = files.filter((path) => !path.startsWith("dist/"));
  expect(outside.sort()).toEqual(["LICENSE", "README.md", "package.json"]);
  expect(files).toContain("dist/index.d.ts");
});
