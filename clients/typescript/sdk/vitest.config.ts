import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/*.test.ts"],
    globalSetup: "test/global_setup.ts",
    testTimeout: 60_000,
    pool: "threads",
    maxWorkers: 2,
    isolate: false,
    reporters: ["dot"],
  },
});
