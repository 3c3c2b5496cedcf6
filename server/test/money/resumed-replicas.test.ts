/** Streams that are continued on another replica: while they run, when they have ended, and when their replica was killed. */
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRedis } from '../../src/platform/redis/index.ts';
import { answer, createGate, faults } from '../fake-vendor/index.ts';
import type { Replica } from '../harness/replica.ts';
import { eventually } from '../services/eventually.ts';
import { ask } from './fixed-price.ts';
import { proveAudit } from './prove-books.ts';
import { everythingPosted, type ReplicaFleet, servicesMissing, startFleet } from './replica-fleet.ts';

const KEY = 'dg-roaming-key';
const TEXT = 'one two three four five six seven eight';
/** Another route goes on with its answers. */
const FURTHER = {
  id: 'mock/further',
  routes: ['chat-a', 'chat-b'].map((provider, at) => ({ provider, model: `up-${at}`, priority: at + 1 })),
  price: { input: 15_000, output: 60_000 },
  capabilities: ['streaming', 'prefill'],
};
const STREAM = { stream: true, svc: { resume_seconds: 60 } };

describe.skipIf(servicesMissing())('a stream on two replicas', () => {
  let fleet: ReplicaFleet;
  let a: Replica;
  let b: Replica;
  beforeAll(async () => {
    fleet = await startFleet({
      replicas: 2,
      accounts: [{ id: 'roaming', name: 'Roaming', balance: 1_000_000, keys: [{ id: 'roaming', key: KEY }] }],
      settings: { max_event_loop_lag_ms: 600_000 },
      configure: (defaults) => ({ ...defaults, models: [...(defaults['models'] as object[]), FURTHER] }),
    });
    [a, b] = fleet.replicas as [Replica, Replica];
  });
  beforeEach(() => fleet.vendor.reset());
  afterAll(() => fleet?.end());

  const headers = { authorization: `Bearer ${KEY}` };
  const continued = (replica: Replica, id: string, after = 0) =>
    fetch(`${replica.origin}/api/v1/requests/${id}/stream`, {
      headers: { ...headers, 'last-event-id': String(after) },
    });
  const idOf = (response: Response) => response.headers.get('x-svc-request-id') ?? '';
  const framesIn = (text: string) => text.split(/(?<=\n\n)/);
  async function firstFrame(response: Response): Promise<string> {
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let text = '';
    while (!text.includes('\n\n')) text += decoder.decode((await reader?.read())?.value, { stream: true });
    await reader?.cancel();
    return framesIn(text)[0] ?? '';
  }
  const found = (replica: Replica, id: string, after: number) =>
    eventually(async () => {
      const response = await continued(replica, id, after);
      expect(response.status).toBe(200);
      return response;
    });
  const chargesOf = async (id: string) => {
    await everythingPosted(fleet.replicas);
    const [row] = await fleet.db.query<{ count: bigint }>(
      `select count(*) as count from ledger_transfer where kind = 'charge' and id = $1`,
      [id],
    );
    return Number(row?.count ?? 0);
  };

  it('goes on where it broke, while it runs and afterwards, and is charged once', async () => {
    const gate = createGate();
    fleet.vendor.next(faults.stallAfter(4, gate, { text: TEXT, pieces: 8 }));
    const response = await ask(a.origin, KEY, STREAM);
    const first = await firstFrame(response);
    const rest = await found(b, idOf(response), 1);
    gate.open();
    const whole = first + (await rest.text());
    for (const [cut] of framesIn(whole).entries())
      expect(framesIn(whole).slice(0, cut).join('') + (await (await continued(b, idOf(response), cut)).text())).toBe(
        whole,
      );
    expect(await (await continued(a, idOf(response))).text()).toBe(whole);
    expect(await chargesOf(idOf(response))).toBe(1);
    expect(fleet.vendor.requests).toHaveLength(1);
  });

  it('is joined under its Idempotency-Key before it has ended', async () => {
    const gate = createGate();
    fleet.vendor.next(faults.stallAfter(4, gate, { text: TEXT, pieces: 8 }));
    const named = { 'idempotency-key': 'roaming-1' };
    const response = await ask(a.origin, KEY, STREAM, named);
    const first = await firstFrame(response);
    await found(b, idOf(response), 1).then((again) => again.body?.cancel());
    const joined = await ask(b.origin, KEY, STREAM, { ...named, 'last-event-id': '1' });
    expect(joined.headers.get('x-svc-original-request-id')).toBe(idOf(response));
    gate.open();
    const whole = first + (await joined.text());
    expect(await (await continued(a, idOf(response))).text()).toBe(whole);
    expect(await chargesOf(idOf(response))).toBe(1);
    expect(fleet.vendor.requests).toHaveLength(1);
  });

  it('is cancelled from the other one', async () => {
    const gate = createGate();
    fleet.vendor.next(faults.stallAfter(4, gate, { text: TEXT, pieces: 8 }));
    const response = await ask(a.origin, KEY, STREAM);
    await firstFrame(response);
    const request = await fleet.vendor.received(0);
    await found(b, idOf(response), 0).then((again) => again.body?.cancel());
    const path = `${b.origin}/api/v1/requests/${idOf(response)}/stream`;
    expect((await fetch(path, { method: 'DELETE', headers })).status).toBe(200);
    expect(await request.ended).toBe('aborted');
    gate.open();
    expect(await (await continued(b, idOf(response))).text()).toContain('stream_cancelled');
  });

  it('whose replica is killed says what was kept and how it ended: stream_interrupted', async () => {
    const gate = createGate();
    fleet.vendor.next(faults.stallAfter(4, gate, { text: TEXT, pieces: 8 }), answer('not again'));
    const response = await ask(a.origin, KEY, STREAM);
    const first = await firstFrame(response);
    const id = idOf(response);
    const watched = await found(b, id, 0);
    await gate.reached;
    await a.kill();
    gate.open();
    // As its heartbeat ends by itself a quarter of a minute later.
    const redis = createRedis({ url: fleet.redis.url });
    await once(redis, 'ready');
    await redis.del(`dargah:replay:{${id}}:alive`);
    redis.disconnect();
    const kept = await watched.text();
    expect(kept.startsWith(first)).toBe(true);
    expect(kept).toContain('one');
    expect(kept).toContain('stream_interrupted');
    expect(kept).not.toContain('eight');
    expect(framesIn(kept).slice(1).join('')).toBe(await (await continued(b, id, 1)).text());
    expect(fleet.vendor.requests).toHaveLength(1);
    await a.start();
    expect(await chargesOf(id)).toBe(0);
    await proveAudit(fleet.books);
  });

  it('whose replica is killed while another route goes on with it costs nothing, and the books are right', async () => {
    const gate = createGate();
    fleet.vendor.next(
      faults.cutAfter(4, 'reset', { text: TEXT, pieces: 8 }),
      faults.stallAfter(3, gate, { text: TEXT.slice(TEXT.indexOf(' five')), pieces: 4 }),
    );
    const response = await ask(a.origin, KEY, {
      model: 'mock/further',
      stream: true,
      svc: { routing: { continue: true } },
    });
    await gate.reached;
    expect(fleet.vendor.requests).toHaveLength(2);
    await a.kill();
    gate.open();
    await response.text().catch(() => undefined);
    await a.start();
    expect(await chargesOf(idOf(response))).toBe(0);
    const [row] = await fleet.db.query<{ state: string; cost: string }>(
      'select state, cost::text as cost from request_log where id = $1',
      [idOf(response)],
    );
    expect(row).toMatchObject({ cost: '0' });
    await proveAudit(fleet.books);
  });
});
