/** JSON merge patches (RFC 7396), and the hash that checks what they made of a document. */

import type { JsonObject } from "./schema.js";

/** Whether a JSON value is an object, and no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * What `patch` makes of `target`. Neither is changed; what the patch leaves alone is shared.
 *
 * docs/protocol.md, section 3, "Applying a patch".
 */
export function applyPatch(target: unknown, patch: JsonObject): JsonObject {
  const result: JsonObject = isObject(target) ? { ...target } : {};
  for (const key in patch) {
    const value = patch[key];
    if (value === null) delete result[key];
    else result[key] = isObject(value) ? applyPatch(result[key], value) : value;
  }
  return result;
}

/** Canonical JSON (RFC 8785): keys sorted by UTF-16 units, no white space. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(",")}}`;
}

/**
 * The `hash` of a document: the first 16 hex digits of SHA-256 over its canonical JSON.
 *
 * Needs Web Crypto, which browsers have in secure contexts only: https, or localhost.
 */
export async function digest(doc: JsonObject): Promise<string> {
  const bytes = new TextEncoder().encode(canonical(doc));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes), 0, 8);
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
