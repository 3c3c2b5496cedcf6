/**
 * The long run of the differential tests: `npm run fuzz -- [minutes]` (ten by default) for each of them. A failure prints a seed;
 * `FUZZ_SEED=<seed> npm run fuzz` begins with it.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const minutes = Number(process.argv[2] ?? 10);
if (!(minutes > 0)) throw new Error('usage: npm run fuzz -- [minutes]');
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const { status } = spawnSync(process.execPath, [vitest, 'run', 'beside-node'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: 'inherit',
  env: { ...process.env, FUZZ_MINUTES: String(minutes) },
});
process.exitCode = status ?? 1;
