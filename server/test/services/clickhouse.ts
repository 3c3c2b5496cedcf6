/** ClickHouse's own engine for tests: chdb (PyPI) behind its HTTP interface (chdb-http.py). It ends with the process that started it. */
import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { scaled } from '../harness/slowness.ts';

const FRONT = fileURLToPath(new URL('./chdb-http.py', import.meta.url));

const MAX_START_MS = 90_000;

function python(): string {
  return process.env['DARGAH_TEST_PYTHON'] ?? 'python3';
}

/** For `describe.skipIf(clickHouseMissing())`. */
export function clickHouseMissing(): boolean {
  if (spawnSync(python(), ['-c', 'import chdb']).status === 0) return false;
  // Its engine comes from PyPI; `.ci/run` says where that could not be reached.
  if (process.env['CI'] && process.env['DARGAH_TEST_CLICKHOUSE'] !== 'absent')
    throw new Error('chdb is not installed for python3, and in CI its tests must run');
  console.warn('SKIPPED: chdb is not installed; the archive in ClickHouse is not tested');
  return true;
}

export async function startClickHouse(): Promise<{ url: string; stop(): void }> {
  const child = spawn(python(), [FRONT], { stdio: ['pipe', 'pipe', 'inherit'] });
  const tooLate = setTimeout(() => child.kill('SIGKILL'), scaled(MAX_START_MS));
  const port = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`chdb ended with ${code}`)));
    // By lines: Python may write one line in several pieces.
    createInterface(child.stdout).on('line', (said) => {
      const found = /^listening (\d+)$/.exec(said)?.[1];
      if (found) resolve(found);
    });
  }).finally(() => clearTimeout(tooLate));
  return { url: `http://default@127.0.0.1:${port}/default`, stop: () => child.stdin.end() };
}
