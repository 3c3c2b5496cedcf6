/** One `Idempotency-Key` on two replicas: one charge and one answer, whichever is asked, also when one dies or the database does. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { wav } from '../audio/sounds.ts';
import { answer, createGate, faults } from '../fake-vendor/index.ts';
import type { Replica } from '../harness/replica.ts';
import { eventually } from '../services/eventually.ts';
import { ask } from './fixed-price.ts';
import { proveAudit } from './prove-books.ts';
import { everythingPosted, type ReplicaFleet, readinessOf, servicesMissing, startFleet } from './replica-fleet.ts';

const KEY = 'dg-twice-key';
const MAX_BYTES = 8_192;
const STREAM = { stream: true, stream_options: { include_usage: true } };
const KINDS = [
  ['whole', {}],
  ['streamed', STREAM],
] as const;

describe.skipIf(servicesMissing())('an Idempotency-Key on two replicas', () => {
  let fleet: ReplicaFleet;
  let a: Replica;
  let b: Replica;
  let before: number;
  beforeAll(async () => {
    fleet = await startFleet({
      replicas: 2,
      accounts: [{ id: 'twice', name: 'Twice', balance: 1_000_000, keys: [{ id: 'twice', key: KEY }] }],
      settings: { idempotency_max_answer_bytes: MAX_BYTES, max_event_loop_lag_ms: 600_000 },
    });
    [a, b] = fleet.replicas as [Replica, Replica];
  });
  beforeEach(async () => {
    fleet.vendor.reset();
    before = await charges();
  });
  afterEach(async () => {
    await everythingPosted(fleet.replicas);
    await proveAudit(fleet.books);
  });
  afterAll(() => fleet?.end());

  let serial = 0;
  const newKey = () => `shared-${++serial}`;
  const send = (replica: Replica, key: string, more: object = {}) =>
    ask(replica.origin, KEY, more, { 'idempotency-key': key });

  async function charges(): Promise<number> {
    await everythingPosted(fleet.replicas);
    const [row] = await fleet.db.query<{ count: bigint }>(
      `select count(*) as count from ledger_transfer where kind = 'charge'`,
    );
    return Number(row?.count);
  }
  const chargedSince = async () => (await charges()) - before;
  /** Somebody waits for an answer that another replica gives. */
  const somebodyWaits = () =>
    eventually(async () => {
      const rows = await fleet.db.query(`select 1 from idempotency_claim where awaited and state = 'running'`);
      expect(rows).toHaveLength(1);
    });
  const expectReplayOf = (replayed: Response, first: Response) => {
    expect(replayed.status).toBe(200);
    expect(replayed.headers.get('x-svc-idempotent-replay')).toBe('true');
    expect(replayed.headers.get('x-svc-original-request-id')).toBe(first.headers.get('x-svc-request-id'));
    expect(replayed.headers.get('content-type')).toBe(first.headers.get('content-type'));
  };

  describe.each(KINDS)('%s', (_name, more) => {
    it('asked on one and then on the other: the same bytes, one charge', async () => {
      const key = newKey();
      const first = await send(a, key, more);
      const text = await first.text();
      const again = await send(b, key, more);
      expectReplayOf(again, first);
      expect(await again.text()).toBe(text);
      expect(again.headers.get('x-svc-cost')).toBe(/"cost":([\d.]+)/.exec(text)?.[1]);
      expect(fleet.vendor.requests).toHaveLength(1);
      expect(await chargedSince()).toBe(1);
    });

    it('asked on the other while it runs: both get it, the provider is asked once', async () => {
      const gate = createGate();
      fleet.vendor.always(faults.stallAfter(2, gate, { text: 'one two three' }));
      const key = newKey();
      const first = send(a, key, more);
      await fleet.vendor.received(0);
      const second = send(b, key, more);
      await somebodyWaits();
      gate.open();
      const [one, two] = await Promise.all([first, second]);
      expectReplayOf(two, one);
      expect(await two.text()).toBe(await one.text());
      expect(fleet.vendor.requests).toHaveLength(1);
      expect(await chargedSince()).toBe(1);
    });

    it('asked by many at once on both', async () => {
      const key = newKey();
      const all = Array.from({ length: 12 }, async (_, i) => (await send(i % 2 ? a : b, key, more)).text());
      expect(new Set(await Promise.all(all)).size).toBe(1);
      expect(fleet.vendor.requests).toHaveLength(1);
      expect(await chargedSince()).toBe(1);
    });

    it('failed on one: the other may try again', async () => {
      fleet.vendor.next(faults.failWith(500));
      const key = newKey();
      expect((await send(a, key, more)).status).toBe(502);
      const second = await send(b, key, more);
      expect(second.status).toBe(200);
      await second.text();
      expect(second.headers.get('x-svc-idempotent-replay')).toBeNull();
      expect(await chargedSince()).toBe(1);
    });
  });

  it('a transcription under whose key another answers by now is not charged', async () => {
    const gate = createGate();
    fleet.vendor.next(faults.stallBeforeHeaders(gate));
    const form = new FormData();
    form.append('model', 'mock/stt');
    form.append('file', new File([wav(2)], 'speech.wav', { type: 'audio/wav' }));
    const headers = { authorization: `Bearer ${KEY}`, 'idempotency-key': newKey() };
    const heard = fetch(`${a.origin}/api/v1/audio/transcriptions`, { method: 'POST', headers, body: form });
    await fleet.vendor.received(0);
    // As after a pause longer than the lease.
    await fleet.db.query(`update idempotency_claim set request_id = 'req_of_another' where state = 'running'`);
    gate.open();
    await (await heard).text();
    expect(await chargedSince()).toBe(0);
  });

  it('another body on the other is refused and free', async () => {
    const key = newKey();
    await (await send(a, key)).text();
    const other = await send(b, key, { temperature: 0.5 });
    expect(other.status).toBe(400);
    expect(((await other.json()) as { error: object }).error).toMatchObject({
      code: 'invalid_request',
      param: 'Idempotency-Key',
    });
    expect(await chargedSince()).toBe(1);
  });

  it('an answer too long to share is not run a second time', async () => {
    fleet.vendor.always(answer({ text: 'long '.repeat(4_000) }));
    const key = newKey();
    const first = await send(a, key, STREAM);
    expect((await first.text()).length).toBeGreaterThan(MAX_BYTES);
    const again = await send(b, key, STREAM);
    expect(again.status).toBe(409);
    expect(((await again.json()) as { error: object }).error).toMatchObject({
      code: 'conflict',
      original_request_id: first.headers.get('x-svc-request-id'),
    });
    expect(fleet.vendor.requests).toHaveLength(1);
    expect(await chargedSince()).toBe(1);
  });

  it('the first is killed while it runs: the other answers once the lease is over, and is charged once', async () => {
    const gate = createGate();
    fleet.vendor.next(faults.stallAfter(2, gate));
    const key = newKey();
    const lost = send(a, key, STREAM).then((response) => response.text());
    lost.catch(() => undefined);
    await fleet.vendor.received(0);
    const second = send(b, key, STREAM);
    await somebodyWaits();
    await a.kill();
    gate.open();
    await expect(lost).rejects.toThrow();
    await fleet.db.query(`update idempotency_claim set lease_until = now() where state = 'running'`);
    const served = await second;
    expect(served.status).toBe(200);
    expect(served.headers.get('x-svc-idempotent-replay')).toBeNull();
    const text = await served.text();
    expect(text).toContain('[DONE]');
    await a.start();
    const third = await send(a, key, STREAM);
    expectReplayOf(third, served);
    expect(await third.text()).toBe(text);
    expect(fleet.vendor.requests).toHaveLength(2);
    expect(await chargedSince()).toBe(1);
  });

  it('a killed replica that comes back frees what it ran, without a wait for the lease', async () => {
    const gate = createGate();
    fleet.vendor.next(faults.stallBeforeHeaders(gate));
    const key = newKey();
    const lost = send(a, key);
    lost.catch(() => undefined);
    await fleet.vendor.received(0);
    await a.kill();
    gate.open();
    await expect(lost).rejects.toThrow();
    await a.start();
    expect((await send(b, key)).status).toBe(200);
    expect(await chargedSince()).toBe(1);
  });

  it.each(KINDS)(
    'the first is killed right after its last byte, %s: nobody charges again, before and after it is back',
    async (_name, more) => {
      const key = newKey();
      await (await send(a, newKey())).text();
      // Neither the answer nor the charge reaches the database: only the killed replica's journal knows of it.
      await refuseWrites(fleet, true);
      try {
        const first = await send(a, key, more);
        expect(first.status).toBe(200);
        await first.text();
        await a.kill();
        await fleet.db.query(`update idempotency_claim set lease_until = now() where state = 'running'`);
        for (let tries = 0; tries < 3; tries++) {
          const again = await send(b, key, more);
          expect(again.status).toBe(409);
          expect(((await again.json()) as { error: object }).error).toMatchObject({
            original_request_id: first.headers.get('x-svc-request-id'),
          });
        }
      } finally {
        await refuseWrites(fleet, false);
      }
      await a.start();
      for (const replica of [a, b]) expect((await send(replica, key, more)).status).toBe(409);
      expect(fleet.vendor.requests).toHaveLength(2);
      expect(await chargedSince()).toBe(2);
    },
  );

  it('PostgreSQL is away: served on the word of one replica, which says so, and shared when it is back', async () => {
    const key = newKey();
    await (await send(a, newKey())).text();
    await fleet.postgres.stop();
    const first = await send(a, key);
    expect(first.status, a.output).toBe(200);
    expect(first.headers.get('x-svc-warnings')).toContain('Idempotency-Key holds on this server only');
    const text = await first.text();
    const again = await send(a, key);
    expectReplayOf(again, first);
    expect(await again.text()).toBe(text);
    await fleet.postgres.start();
    await eventually(async () => {
      for (const replica of fleet.replicas) expect((await readinessOf(replica)).database).toBe('ok');
      expect(
        await fleet.db.query(`select 1 from idempotency_claim where request_id = $1 and state = 'done'`, [
          first.headers.get('x-svc-request-id'),
        ]),
      ).toHaveLength(1);
    });
    const elsewhere = await send(b, key);
    expectReplayOf(elsewhere, first);
    expect(elsewhere.headers.get('x-svc-warnings')).toBeNull();
    expect(await elsewhere.text()).toBe(text);
    expect(await chargedSince()).toBe(2);
  });
});

/** As if the database took no charge and no answer any more, while claims still reach it. */
async function refuseWrites({ db }: ReplicaFleet, refused: boolean): Promise<void> {
  const triggers = [
    ['ledger_transfer', 'before insert', 'true'],
    ['idempotency_claim', 'before update', `new.state = 'done'`],
  ] as const;
  if (refused) {
    await db.query(
      `create function refuse_write() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$`,
    );
  }
  for (const [table, when, condition] of triggers) {
    await db.query(
      refused
        ? `create trigger refuse_write ${when} on ${table} for each row when (${condition}) execute function refuse_write()`
        : `drop trigger refuse_write on ${table}`,
    );
  }
  if (!refused) await db.query('drop function refuse_write()');
}
