/** ClickHouse's own engine for tests: chdb (PyPI) behind its HTTP interface (chdb-http.py). It ends with the process that started it. */
import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { scaled } from '../harness/slowness.ts';

const FRONT = fileURLToPath(new URL('./chdb-http.py', import.meta.url));

const MAX_START_MS = 90_000;
const MAX_END_MS = 20_000;
/** How much of what it complained of is told with its death. */
const TOLD_CHARACTERS = 4_000;

export interface ClickHouseEngine {
  url: string;
  /** What it ended with and what it complained of. */
  ended: Promise<Error>;
  /** Fails when it had ended before, by itself. */
  stop(): Promise<void>;
}

function python(): string {
  return process.env['DARGAH_TEST_PYTHON'] ?? 'python3';
}

/** For `describe.skipIf(clickHouseMissing())`. */
export function clickHouseMissing(): boolean {
  const { status, signal, stderr, error } = spawnSync(python(), ['-c', 'import chdb'], { encoding: 'utf8' });
  if (status === 0) return false;
  // Its engine comes from PyPI; `.ci/run` says where that could not be reached.
  if (process.env['CI'] && process.env['DARGAH_TEST_CLICKHOUSE'] !== 'absent') {
    const reason = error?.message ?? `${signal ?? `code ${status}`}: ${stderr.slice(-TOLD_CHARACTERS)}`;
    throw new Error(`chdb cannot be loaded by ${python()}, and in CI its tests must run (${reason})`);
  }
  console.warn('SKIPPED: chdb is not installed; the archive in ClickHouse is not tested');
  return true;
}

export function startClickHouse(): Promise<ClickHouseEngine> {
  return startEngine(python(), [FRONT], scaled(MAX_START_MS));
}

/** Whatever it dies of, and whenever, is told with what it wrote to its error output. */
export async function startEngine(command: string, args: string[], maxStartMs: number): Promise<ClickHouseEngine> {
  const child = spawn(command, args, { stdio: 'pipe' });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = `${complaint}${text}`.slice(-TOLD_CHARACTERS);
  });
  // Nobody reads from it any more when it ended.
  child.stdin.on('error', () => undefined);
  const told = (what: string) => new Error(`the engine of ClickHouse ${what}; it said: ${complaint || 'nothing'}`);
  const ended = new Promise<Error>((resolve) => {
    child.once('error', (error) => resolve(told(`cannot be started (${error.message})`)));
    child.once('close', (code, signal) => resolve(told(`ended with ${signal ?? `code ${code}`}`)));
  });
  const port = await new Promise<string>((resolve, reject) => {
    const tooLate = setTimeout(() => {
      child.kill('SIGKILL');
      reject(told(`did not tell its port within ${maxStartMs} ms`));
    }, maxStartMs);
    void ended.then(reject).finally(() => clearTimeout(tooLate));
    // By lines: Python may write one line in several pieces. Later lines are read too, so that its output never fills up.
    createInterface(child.stdout).on('line', (said) => {
      const found = /^listening (\d+)$/.exec(said)?.[1];
      if (found === undefined) return;
      clearTimeout(tooLate);
      resolve(found);
    });
  });
  let death: Error | undefined;
  let stopping = false;
  void ended.then((error) => {
    death = error;
    if (!stopping) console.error(error.message);
  });
  return {
    url: `http://default@127.0.0.1:${port}/default`,
    ended,
    async stop() {
      if (death) throw death;
      stopping = true;
      child.stdin.end();
      const tooLate = setTimeout(() => child.kill('SIGKILL'), scaled(MAX_END_MS));
      await ended.finally(() => clearTimeout(tooLate));
    },
  };
}
