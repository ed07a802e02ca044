/** Every program of docs/typescript.md is type-checked and runs as it stands. */

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Window } from "happy-dom";
import { afterEach, beforeAll, expect, inject, test, vi } from "vitest";
import WebSocket from "ws";
import { ROOT } from "../tools/server.mjs";

const PAGE = readFileSync(join(ROOT, "docs/typescript.md"), "utf8");
const PROGRAMS = [...PAGE.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, text = ""]) => text);
const FOLDER = fileURLToPath(new URL("guide/", import.meta.url));
const SETTINGS = {
  extends: "../../../tsconfig.base.json",
  compilerOptions: { types: ["node"], outDir: "made", moduleDetection: "force" },
  include: ["*.ts"],
};

beforeAll(() => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER);
  PROGRAMS.forEach((text, index) => {
    const here = text.replaceAll("ws://127.0.0.1:8765/ws", inject("url"));
    writeFileSync(join(FOLDER, `${index}.ts`), here);
  });
  writeFileSync(join(FOLDER, "tsconfig.json"), JSON.stringify(SETTINGS));
  const tsc = join(ROOT, "clients/typescript/node_modules/.bin/tsc");
  execFileSync(tsc, ["-p", FOLDER], { stdio: "inherit" });
});

afterEach(() => vi.unstubAllGlobals());

/** A browser with somebody in front of it who presses each time the first button. */
function browser(): Window {
  const window = new Window({ url: "http://127.0.0.1/" });
  const press = (): void => window.document.querySelector("button")?.click();
  new window.MutationObserver(press).observe(window.document.body, { childList: true });
  return window;
}

test("the guide has programs", () => expect(PROGRAMS.length).toBeGreaterThanOrEqual(6));

test.each(PROGRAMS.map((text, index) => [/^(class|const) .*|connect\(.*/m.exec(text)?.[0], index]))(
  "%s",
  async (_, index) => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    const page = PROGRAMS[Number(index)]?.includes("document.") ? browser() : undefined;
    if (page !== undefined) {
      const { document, localStorage } = page;
      for (const [name, value] of Object.entries({ document, localStorage, WebSocket }))
        vi.stubGlobal(name, value);
    }
    await import(/* @vite-ignore */ join(FOLDER, `made/${index}.js`));
    const shown = page?.document.body.textContent ?? log.mock.calls.join("\n");
    log.mockRestore();
    expect(shown).toMatch(page === undefined ? /./ : /"reason":/);
  },
);
