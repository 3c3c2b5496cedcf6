import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './server/test/harness/longest-first.ts';
import { measureSlowness } from './server/test/harness/slowness.ts';
import { TIERS, type Tier, testFiles } from './server/test/harness/tiers.ts';

/** Lua and Markdown files are texts to the server; its build says so to esbuild (server/bin/build.mjs). */
const filesAsText = {
  name: 'files-as-text',
  transform(text: string, path: string) {
    return /\.(lua|md)$/.test(path) ? { code: `export default ${JSON.stringify(text)};`, map: null } : undefined;
  },
};

const IN_MEMORY = '/dev/shm';
const SLOWNESS = measureSlowness();
process.env['DARGAH_TEST_SLOWNESS'] = String(SLOWNESS);
useOwnTemporaryFolder();

/**
 * Everything that a run writes besides its results lies in one folder, which goes with the run: workers are ended by a signal, and
 * what they have not removed by then nobody would. Every database of a test is 40 MB of files that live for seconds; where memory is
 * plenty they never reach the disk.
 */
function useOwnTemporaryFolder(): void {
  const folder = mkdtempSync(join(hasRoomInMemory() ? IN_MEMORY : tmpdir(), 'dargah-run-'));
  // PostgreSQL runs as a user of its own.
  chmodSync(folder, 0o755);
  process.env['TMPDIR'] = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}

function hasRoomInMemory(): boolean {
  if (process.env['TMPDIR'] !== undefined) return false;
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize > 6 * 2 ** 30;
  } catch {
    // Not on every system.
    return false;
  }
}

/**
 * Most code of a test runs a few times, and to optimise it costs more than it saves: a fifth of the processor's time went there.
 * The first flag is about the embedded database, the second (whose name only Node 20 knows) about everything else.
 */
const OPTIMISE_LATE = [
  '--wasm-tiering-budget=20000000',
  ...(process.versions.node.startsWith('20.') ? ['--interrupt-budget=528000'] : []),
];

// Tests start real processes and databases; a hung one must fail by its name, not hang the run.
const COMMON = {
  testTimeout: 60_000 * SLOWNESS,
  hookTimeout: 120_000 * SLOWNESS,
  setupFiles: ['server/test/harness/same-cases.ts'],
  pool: 'forks' as const,
  execArgv: OPTIMISE_LATE,
};

/** A gateway waits for its database, its provider and its timers a third of the time: with one file more than cores, another works then. */
const WORKERS_THAT_WAIT = availableParallelism() + 1;
const namesWorkers = process.argv.some((word) => word.startsWith('--maxWorkers'));

const files = testFiles();

function project(tier: Tier, ownProcess: boolean) {
  const include = files.filter((file) => file.tiers.includes(tier) && file.ownProcess === ownProcess);
  return {
    plugins: [filesAsText],
    test: {
      ...COMMON,
      name: ownProcess ? `${tier}-apart` : tier,
      include: include.map(({ path }) => path),
      isolate: ownProcess,
      env: { DARGAH_TEST_TIER: tier },
      ...(tier !== 'fast' && !ownProcess && !namesWorkers ? { maxWorkers: WORKERS_THAT_WAIT } : {}),
      // Files with a process of their own use nothing that is shared.
      ...(tier === 'services' && !ownProcess ? { globalSetup: ['server/test/harness/services-setup.ts'] } : {}),
      // One after the other: what measures its process has the machine to itself.
      sequence: { groupOrder: TIERS.indexOf(tier) * 2 + (ownProcess ? 1 : 0) },
    },
  };
}

export default defineConfig({
  test: {
    // What a file was compiled to is kept between runs and shared by the projects: to compile the server anew took each a fifth of its time.
    experimental: { fsModuleCache: true, fsModuleCachePath: 'node_modules/.cache/vitest-modules' },
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './server/test/harness/closing-line.ts'],
    projects: TIERS.flatMap((tier) => [project(tier, false), project(tier, true)]).filter(
      ({ test }) => test.include.length > 0,
    ),
  },
});
