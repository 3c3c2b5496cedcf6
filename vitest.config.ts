import { defineConfig } from 'vitest/config';

/** Lua and Markdown files are texts to the server; its build says so to esbuild (server/bin/build.mjs). */
const filesAsText = {
  name: 'files-as-text',
  transform(text: string, path: string) {
    return /\.(lua|md)$/.test(path) ? { code: `export default ${JSON.stringify(text)};`, map: null } : undefined;
  },
};

export default defineConfig({
  plugins: [filesAsText],
  test: {
    include: ['server/test/**/*.test.ts', 'server/packages/**/*.test.ts'],
    // Tests start real processes and databases; a hung one must fail by name, not hang the run.
    // The bounds are wide because a build machine may give a test a tenth of a core.
    testTimeout: 90_000,
    hookTimeout: 180_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
