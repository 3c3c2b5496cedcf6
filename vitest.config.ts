import { defineConfig } from 'vitest/config';

/** Lua files are texts to the server; its build says so to esbuild (server/bin/build.mjs). */
const luaAsText = {
  name: 'lua-as-text',
  transform(text: string, path: string) {
    return path.endsWith('.lua') ? { code: `export default ${JSON.stringify(text)};`, map: null } : undefined;
  },
};

export default defineConfig({
  plugins: [luaAsText],
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
