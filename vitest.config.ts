import { defineConfig } from 'vitest/config';

/** Lua and Markdown files are texts to the server; its build says so to esbuild (server/bin/build.mjs). */
const filesAsText = {
  name: 'files-as-text',
  transform(text: string, path: string) {
    return /\.(lua|md)$/.test(path) ? { code: `export default ${JSON.stringify(text)};`, map: null } : undefined;
  },
};

/**
 * Files that measure the memory of their process or replace one of Node's modules. Each has a process of its own; all others
 * share one per worker, because to load the gateway's modules anew costs each file more than most of them take to run.
 */
const APART = [
  'server/test/audio/upload-memory.test.ts',
  'server/test/faults/under-load.test.ts',
  'server/test/knowledge/cost.test.ts',
  'server/test/money/idempotency-memory.test.ts',
  'server/test/people/passwords.test.ts',
  'server/test/platform/upstream/backpressure.test.ts',
  'server/test/responses/recent-responses.test.ts',
];

// Tests start real processes and databases; a hung one must fail by name, not hang the run.
// The bounds are wide because a build machine may give a test a tenth of a core.
const PATIENCE = { testTimeout: 90_000, hookTimeout: 180_000 };
const COMMON = { ...PATIENCE, setupFiles: ['server/test/harness/same-cases.ts'] };

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        plugins: [filesAsText],
        test: {
          name: 'shared',
          include: ['server/test/**/*.test.ts', 'server/packages/**/*.test.ts'],
          exclude: APART,
          ...COMMON,
          pool: 'forks',
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        plugins: [filesAsText],
        test: { name: 'apart', include: APART, ...COMMON, pool: 'forks', sequence: { groupOrder: 1 } },
      },
    ],
  },
});
