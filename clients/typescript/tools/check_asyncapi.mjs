// Checks an AsyncAPI document. Prints what is wrong with it and exits with 1 if it is not valid.
//
//     node tools/check_asyncapi.mjs FILE

import { readFileSync } from "node:fs";
import { argv, exit } from "node:process";
import { DiagnosticSeverity, Parser } from "@asyncapi/parser";

const [file] = argv.slice(2);
if (file === undefined) {
  console.error("usage: node tools/check_asyncapi.mjs FILE");
  exit(2);
}

const { document, diagnostics } = await new Parser().parse(readFileSync(file, "utf8"), {
  source: file,
});
for (const { severity, path, message } of diagnostics) {
  console.log(`${DiagnosticSeverity[severity]}: /${path.join("/")}: ${message}`);
}
const errors = diagnostics.filter(({ severity }) => severity === DiagnosticSeverity.Error);
if (document === undefined || errors.length > 0) exit(1);
console.log(`${file} is valid, AsyncAPI ${document.version()}`);
