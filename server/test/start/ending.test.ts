/** How it ends: SIGTERM drains, `kill -9` loses nothing that was answered, and the books are right afterwards. */
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGate, type FakeVendor, faults, startFakeVendor } from '../fake-vendor/index.ts';
import { defaultConfig } from '../harness/default-config.ts';
import { eventually } from '../services/eventually.ts';
import { postgresMissing, startPostgres } from '../services/postgres.ts';
import { type Home, makeHome, postChat, type ServerProcess } from './server-process.ts';

const KEY = 'dg-test-main';
const BALANCE = 100_000_000_000n;
const messages = [{ role: 'user', content: 'hello' }];

let vendor: FakeVendor;

beforeAll(async () => {
  vendor = await startFakeVendor();
});
afterAll(() => vendor.close());

/** `0.00195` toman is 1950 micro-toman. */
function micro(text: string): bigint {
  const [whole = '0', part = ''] = text.split('.');
  return BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, '0'));
}

async function get(server: ServerProcess, path: string): Promise<Record<string, unknown>> {
  const response = await fetch(server.origin + path, { headers: { authorization: `Bearer ${KEY}` } });
  expect(`${path} ${response.status}`).toBe(`${path} 200`);
  return (await response.json()) as Record<string, unknown>;
}

/** `[status, Connection, body]` over the agent's one connection. */
async function ask(server: ServerProcess, agent: Agent, path: string): Promise<[number, string, unknown]> {
  const call = request(server.origin + path, { agent, headers: { authorization: `Bearer ${KEY}` } });
  call.end();
  const [reply] = await once(call, 'response');
  let text = '';
  for await (const piece of reply.setEncoding('utf8')) text += piece;
  return [reply.statusCode, reply.headers.connection, JSON.parse(text)];
}

/** Says whenever somebody calls `process.exit`, which on Node 24 may never return. */
const TELLS_EXITS = `--import=data:text/javascript,${encodeURIComponent(`
  import { isMainThread } from 'node:worker_threads';
  const exit = process.exit;
  if (isMainThread) process.exit = (code) => { console.log('process.exit was called'); exit(code); };
`)}`;

async function expectWallet(server: ServerProcess, spent: bigint): Promise<void> {
  const { wallet } = (await get(server, '/api/v1/key')) as { wallet: Record<string, string> };
  expect(micro(wallet['balance'] ?? '')).toBe(BALANCE - spent);
  expect(wallet['held']).toBe('0');
}

describe.each(['embedded', 'postgresql'])('on the %s database', (kind) => {
  describe.skipIf(kind === 'postgresql' && postgresMissing())('', () => {
    let home: Home;
    let env: Record<string, string>;
    let removeDatabase: () => Promise<void> = () => Promise.resolve();

    beforeAll(async () => {
      home = await makeHome();
      env = { DARGAH_CONFIG: await home.writeConfig(defaultConfig(vendor)) };
      if (kind === 'embedded') return;
      const postgres = await startPostgres();
      removeDatabase = () => postgres.remove();
      env['DATABASE_URL'] = await postgres.createDatabase();
    }, 300_000);
    afterAll(async () => {
      await home.remove();
      await removeDatabase();
    });

    let spent = 0n;
    const ids: string[] = [];

    async function answered(server: ServerProcess): Promise<void> {
      const response = await postChat(server.origin, KEY, { messages });
      expect(response.status).toBe(200);
      spent += micro(response.headers.get('x-svc-cost') ?? '');
      ids.push(response.headers.get('x-svc-request-id') ?? '');
    }

    it('SIGTERM: the stream finishes, kept connections get one more answer, later ones none, all is posted', async () => {
      vendor.reset();
      const server = await home.start({ env: { ...env, NODE_OPTIONS: TELLS_EXITS } });
      await answered(server);
      const gate = createGate();
      vendor.next(faults.stallAfter(2, gate, { text: 'a stream that outlives the signal' }));
      const stream = await postChat(server.origin, KEY, {
        messages,
        stream: true,
        stream_options: { include_usage: true },
      });
      ids.push(stream.headers.get('x-svc-request-id') ?? '');
      await gate.reached;
      const kept = [
        new Agent({ keepAlive: true, maxSockets: 1 }),
        new Agent({ keepAlive: true, maxSockets: 1 }),
      ] as const;
      for (const agent of kept)
        expect((await ask(server, agent, '/api/v1/key')).slice(0, 2)).toEqual([200, 'keep-alive']);
      server.signal('SIGTERM');
      await eventually(() => expect(server.output()).toContain('SIGTERM'));
      // At first only whoever asks hears of it; proxies may not know yet that another process is back.
      expect(await ask(server, kept[1], '/readyz')).toMatchObject([503, 'keep-alive', { draining: true }]);
      expect((await fetch(`${server.origin}/healthz`, { headers: { connection: 'close' } })).status).toBe(200);
      const isOver = async (agent: Agent, path: string, status: number) =>
        expect((await ask(server, agent, path)).slice(0, 2)).toEqual([status, 'close']);
      await eventually(() => isOver(kept[0], '/api/v1/key', 200));
      await isOver(kept[1], '/readyz', 503);
      for (const agent of kept) await expect(ask(server, agent, '/healthz')).rejects.toThrow('ECONNREFUSED');
      gate.open();
      const text = await stream.text();
      expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
      spent += BigInt(Math.round(Number(/"cost":([\d.e-]+)/.exec(text)?.[1]) * 1_000_000));
      expect(await server.ended).toBe(0);
      expect(server.output()).not.toContain('process.exit was called');
    }, 300_000);

    it('kill -9: what was answered is charged, what was running is settled by the next start', async () => {
      const server = await home.start({ env });
      await expectWallet(server, spent);
      for (let i = 0; i < 5; i++) await answered(server);
      const gate = createGate();
      vendor.next(faults.stallBeforeHeaders(gate));
      const lost = postChat(server.origin, KEY, { messages }).catch(() => 'cut');
      await gate.reached;
      server.signal('SIGKILL');
      await server.ended;
      expect(await lost).toBe('cut');
      gate.open();

      const next = await home.start({ env });
      await eventually(() => expectWallet(next, spent));
      for (const id of ids) expect(await get(next, `/api/v1/requests/${id}`)).toMatchObject({ id, state: 'completed' });
      expect(await next.stop()).toBe(0);
    }, 300_000);
  });
});
