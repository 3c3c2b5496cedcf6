/** The supervisor of several processes when they die at the wrong moment, with a small program in place of the server. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BundledScript, bundleScript } from '../services/bundled-script.ts';
import { eventually } from '../services/eventually.ts';
import { freePort } from '../services/free-port.ts';

const PROGRAM = fileURLToPath(new URL('./small-program.ts', import.meta.url));
const PROCESSES = 2;

describe('a supervisor', () => {
  let script: BundledScript;
  let folder: string;
  let port: number;
  let program: ChildProcess;
  let lines: string[];
  let answering: number[];

  beforeAll(async () => {
    script = await bundleScript(PROGRAM, []);
  });
  afterAll(() => script.remove());

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dargah-supervisor-'));
    port = await freePort();
    lines = [];
    program = script.start(folder, String(port), String(PROCESSES));
    program.on('message', (line) => lines.push(String(line)));
    await says(`${PROCESSES} processes answer`);
    answering = await living();
  });
  afterEach(async () => {
    const ended = once(program, 'exit');
    program.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });

  const says = (line: string, times = 1) =>
    eventually(() => expect(lines.filter((one) => one === line).length).toBeGreaterThanOrEqual(times));
  const ends = () => lines.filter((line) => line.startsWith('a process ended'));
  const hasJournal = (slot: number) => existsSync(join(folder, String(slot), 'journal', 'lock'));
  const tell = (name: string) => writeFile(join(folder, name), '');
  const untell = (name: string) => rm(join(folder, name));
  const pidOf = async (slot: string | number) => Number(await readFile(join(folder, String(slot), 'pid'), 'utf8'));

  async function living(): Promise<number[]> {
    const slots = (await readdir(folder)).filter((name) => /^\d+$/.test(name));
    const pids = await Promise.all(slots.map((slot) => pidOf(slot).catch(() => 0)));
    return pids.filter((pid) => pid > 0 && isAlive(pid));
  }

  function answer(path = '/'): Promise<string> {
    return new Promise((resolve, reject) => {
      const request = get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
        let text = '';
        response.on('data', (part) => {
          text += part;
        });
        response.on('end', () => resolve(text));
      });
      request.on('error', reject);
    });
  }

  it('has as many processes as before when one dies while its successor starts', async () => {
    await tell('hold');
    program.send('roll');
    // The successor is there and does not answer yet.
    await eventually(async () => expect(await living()).toHaveLength(PROCESSES + 1));
    process.kill(await pidOf(1), 'SIGKILL');
    await eventually(async () => expect(await living()).toHaveLength(PROCESSES));
    await untell('hold');
    await says(`${PROCESSES} processes were replaced`);
    // Its successor is what starts in its place.
    expect(ends()).toEqual([]);
    await eventually(async () => expect(await living()).toHaveLength(PROCESSES));
  });

  it('starts the successor of a dead process again when it dies while all are replaced', async () => {
    await tell('hold');
    process.kill(await pidOf(1), 'SIGKILL');
    const starting = await eventually(async () => {
      const pid = await pidOf(1);
      expect(answering).not.toContain(pid);
      return pid;
    });
    program.send('roll');
    await eventually(async () => expect(await living()).toHaveLength(PROCESSES + 1));
    process.kill(starting, 'SIGKILL');
    await eventually(() => expect(ends()).toHaveLength(2));
    await untell('hold');
    await eventually(async () => expect(await living()).toHaveLength(PROCESSES));
    await says(`${PROCESSES} processes answer`, 2);
  });

  it('waits longer each time for a process that dies at once', async () => {
    await tell('fail');
    process.kill(await pidOf(2), 'SIGKILL');
    await eventually(() => expect(ends()).toHaveLength(3));
    expect(ends().map((line) => /[\d.]+ s$/.exec(line)?.[0])).toEqual(['0.5 s', '1 s', '2 s']);
    expect(Number(await answer())).toBe(await pidOf(1));
  });

  it('takes up the journal of a process that was killed while it ended', async () => {
    await tell('linger');
    program.send('roll');
    await says(`${PROCESSES} processes were replaced`);
    await untell('linger');
    for (const pid of answering) process.kill(pid, 'SIGKILL');
    await eventually(async () => {
      const journals = await Promise.all([1, 2, 3, 4].map(async (slot) => [slot, await hasJournal(slot)] as const));
      for (const [slot, has] of journals) if (has) expect(isAlive(await pidOf(slot))).toBe(true);
      expect(journals.filter(([, has]) => has)).toHaveLength(PROCESSES);
    });
  });

  it('closes the connection that a process did not take before it died', async () => {
    const pid = await pidOf(1);
    process.kill(pid, 'SIGSTOP');
    // One of them is handed to the process that stands still; the others go to its sibling.
    const asked = [answer(), answer(), answer()].map((given) =>
      given.catch((error) => (error as { code: string }).code),
    );
    await Promise.race(asked);
    process.kill(pid, 'SIGKILL');
    const sibling = String(await pidOf(2));
    expect((await Promise.all(asked)).sort()).toEqual([sibling, sibling, 'ECONNRESET']);
  });

  it('tells the metrics of all to many at once without waiting', async () => {
    await eventually(async () => {
      const begun = performance.now();
      await Promise.all([answer('/metrics'), answer('/metrics'), answer('/metrics'), answer('/metrics')]);
      // A process that does not report is left out after a second.
      expect(performance.now() - begun).toBeLessThan(1_000);
    });
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
