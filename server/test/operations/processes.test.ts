/** `npm start -- --processes 3`: one port, metrics that add up, a dead process replaced, all of them replaced without an error. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type FakeVendor, startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { exactAnswer } from '../money/fixed-price.ts';
import { servicesMissing } from '../money/replica-fleet.ts';
import { eventually } from '../services/eventually.ts';
import { freePort } from '../services/free-port.ts';
import { type PostgresService, startPostgres } from '../services/postgres.ts';
import { type RedisService, startRedis } from '../services/redis.ts';

const START = fileURLToPath(new URL('../../bin/start.mjs', import.meta.url));
const TOKEN = 'operator-token-of-the-processes';
const KEY = 'dg-test-main';
const PROCESSES = 3;

describe.skipIf(servicesMissing())('several processes behind one port', { timeout: 300_000 }, () => {
  let vendor: FakeVendor;
  let postgres: PostgresService;
  let redis: RedisService;
  let database: string;
  let folder: string;
  let program: ChildProcess;
  let origin: string;
  let output = '';
  let asked = 0;

  beforeAll(async () => {
    [vendor, postgres, redis] = await Promise.all([startFakeVendor(), startPostgres(), startRedis()]);
    vendor.always(exactAnswer());
    folder = await mkdtemp(join(tmpdir(), 'dargah-processes-'));
    await writeFile(join(folder, 'config.yaml'), stringify(defaultConfig(vendor)));
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    database = await postgres.createDatabase();
    program = start({ PORT: String(port), DATABASE_URL: database, REDIS_URL: redis.url });
    await says(`${PROCESSES} processes answer`);
  }, 300_000);
  afterAll(async () => {
    program?.kill('SIGKILL');
    await Promise.all([vendor?.close(), postgres?.remove(), redis?.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  function start(env: Record<string, string>): ChildProcess {
    const child = spawn(process.execPath, [START, '--processes', String(PROCESSES)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        HOST: '127.0.0.1',
        DARGAH_DATA_DIR: join(folder, 'data'),
        DARGAH_CONFIG: join(folder, 'config.yaml'),
        DARGAH_OPERATOR_TOKEN: TOKEN,
        DARGAH_DISCOVERY: 'off',
        DARGAH_LOG_LEVEL: 'warn',
        DARGAH_REDIS_DEADLINE_MS: '5000',
        ...env,
      },
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        output += chunk;
      });
    return child;
  }

  const says = (line: string) =>
    eventually(() => {
      if (!output.includes(line)) throw new Error(output);
    });

  async function ask(): Promise<number> {
    asked++;
    const response = await fetch(`${origin}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ model: 'mock/chat', max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] }),
    });
    await response.text();
    return response.status;
  }

  async function counted(): Promise<number> {
    const response = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
    const lines = (await response.text()).split('\n').filter((line) => line.startsWith('dargah_requests_total{'));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  const pids = async () => {
    const slots = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((slot) =>
        readFile(join(folder, 'data', String(slot), 'server.json'), 'utf8').catch(() => ''),
      ),
    );
    return slots.filter(Boolean).map((text) => (JSON.parse(text) as { pid: number }).pid);
  };

  it('tell the same sums whichever of them is asked', async () => {
    for (let i = 0; i < 30; i++) expect(await ask()).toBe(200);
    for (let i = 0; i < PROCESSES; i++) expect(await counted()).toBe(asked);
    expect(new Set(await pids()).size).toBe(PROCESSES);
  });

  it('are replaced one by one at SIGHUP, and no request fails', async () => {
    const before = await pids();
    let done = false;
    const failed: number[] = [];
    const customers = Array.from({ length: 2 }, async () => {
      while (!done) {
        const status = await ask();
        if (status !== 200) failed.push(status);
      }
    });
    try {
      program.kill('SIGHUP');
      await says(`${PROCESSES} processes were replaced`);
      await eventually(() => {
        for (const pid of before) expect(isAlive(pid)).toBe(false);
      });
    } finally {
      done = true;
      await Promise.all(customers);
    }
    expect(failed).toEqual([]);
    expect(await counted()).toBe(asked);
  });

  it('replace one that was killed, and count no request less', async () => {
    const known = await counted();
    const [victim = 0] = (await pids()).filter(isAlive);
    process.kill(victim, 'SIGKILL');
    await says('a process ended (SIGKILL)');
    expect(await counted()).toBeGreaterThanOrEqual(known);
    await eventually(async () => expect((await pids()).filter(isAlive)).toHaveLength(PROCESSES));
    expect(await ask()).toBe(200);
  });

  it('end together at SIGTERM', async () => {
    program.kill('SIGTERM');
    const [code] = (await once(program, 'exit')) as [number];
    expect(code).toBe(0);
    expect((await pids()).filter(isAlive)).toEqual([]);
  });

  it.each([
    ['a port that is taken', 'is in use by another program', () => ({ PORT: new URL(vendor.origin).port })],
    ['a mistake in the configuration', 'DARGAH_SANDBOX', () => ({ PORT: '0', DARGAH_SANDBOX: 'nothing' })],
  ])('end with the reason when the first cannot start: %s', async (_, reason, wrong) => {
    output = '';
    const child = start({ DATABASE_URL: database, REDIS_URL: redis.url, ...wrong() });
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(1);
    expect(output).toContain(reason);
    expect(output).not.toContain('the next one starts');
  });

  it('need what they share, and say so', async () => {
    output = '';
    const child = start({ PORT: '0' });
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(1);
    expect(output).toContain('set DATABASE_URL and REDIS_URL');
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
