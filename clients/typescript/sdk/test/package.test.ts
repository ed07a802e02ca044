import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { VERSION } from "../src/index.js";
import { ROOT } from "../tools/server.mjs";

const HERE = fileURLToPath(new URL("..", import.meta.url));

test("the version is the package's, which depends on nothing", () => {
  const described = JSON.parse(readFileSync(`${HERE}/package.json`, "utf8"));
  expect(VERSION).toBe(described.version);
  expect(described).not.toHaveProperty("dependencies");
});

/** The commands of docs/typescript.md that make the package, and install it in another project. */
function commands(): string {
  const page = readFileSync(join(ROOT, "docs/typescript.md"), "utf8");
  const [, lines = ""] = /^```sh\n(npm pack [^]*?)^```$/m.exec(page) ?? [];
  return lines.replaceAll("PATH_OF_THE_CLONE/", ROOT);
}

test("the guide's commands install what is built, and what it is", () => {
  const project = mkdtempSync(join(tmpdir(), "hoftag-project-"));
  onTestFinished(() => rmSync(project, { recursive: true }));
  const run = (program: string, ...options: string[]): string =>
    execFileSync(program, options, {
      cwd: project,
      encoding: "utf8",
      stdio: "pipe",
      // it is built already, and others are using it; and nothing has to be fetched
      env: { ...process.env, npm_config_ignore_scripts: "true", npm_config_offline: "true" },
    });
  writeFileSync(join(project, "package.json"), "{}");
  run("sh", "-ec", commands());
  const files = readdirSync(join(project, "node_modules/hoftag"));
  expect(files.sort()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
  expect(readdirSync(join(project, "node_modules/hoftag/dist"))).toContain("index.d.ts");
  const program = 'import { VERSION } from "hoftag"; console.log(VERSION)';
  expect(run("node", "--input-type=module", "--eval", program)).toBe(`${VERSION}\n`);
});
