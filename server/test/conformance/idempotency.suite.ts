/** What shared idempotency claims must do on every database. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Claimed } from '../../src/idempotency/index.ts';
import type { Database } from '../../src/platform/db/index.ts';
import {
  answerOf,
  awaited,
  ClaimsUnderTest,
  intermittent,
  LEASE_MS,
  type Stage,
} from '../idempotency/replicas-of-claims.ts';
import type { DatabaseUnderTest } from './database.suite.ts';
import { idempotencyBounds } from './idempotency-bounds.suite.ts';

export function idempotencySuite(name: string, open: () => Promise<DatabaseUnderTest>): void {
  describe(`idempotency conformance: ${name}`, () => {
    let subject: DatabaseUnderTest;
    let db: Database;
    let stage: Stage;
    beforeAll(async () => {
      subject = await open();
      db = subject.db;
    });
    afterAll(() => subject?.close());
    beforeEach(async () => {
      await db.query('delete from idempotency_claim; delete from request_log');
      const claims = new ClaimsUnderTest(() => db);
      stage = { db, claims, one: await claims.replica('one'), two: await claims.replica('two') };
    });

    describe('one answer', () => sharing(() => stage));
    describe('an owner that died', () => takingOver(() => stage));
    describe('bounds', () => idempotencyBounds(() => stage));
  });
}

const kindOf = (claimed: Claimed) => claimed.kind;

function sharing(stage: () => Stage): void {
  it('is found elsewhere byte for byte, with what its headers are written from', async () => {
    const { claims, one, two } = stage();
    const first = claims.claimant('k');
    expect(await one.claim(first, claims.deadlineAtMs)).toEqual({ kind: 'ours' });
    const answer = answerOf('', {
      kind: 'stream',
      headers: { 'x-svc-note': 'n' },
      warnings: ['dropped \u0000'],
      body: Uint8Array.from([0, 255, 13, 10, 128]),
    });
    one.finished(first, answer);
    await one.flush();
    const again = await two.claim(claims.claimant('k'), claims.deadlineAtMs);
    const { requestId, expiresAt } = first;
    expect(again).toEqual({
      kind: 'answered',
      requestId,
      expiresAt,
      answer: { ...answer, body: Buffer.from(answer.body) },
    });
  });

  it('is run by exactly one of all who ask at once; the others wait for it and get it', async () => {
    const { claims, db } = stage();
    const replicas = await Promise.all(Array.from({ length: 6 }, (_, i) => claims.replica(`replica-${i}`)));
    const asked = replicas.map((replica) => ({ replica, claimant: claims.claimant('k') }));
    const results: Claimed[] = [];
    const all = asked.map(async ({ replica, claimant }) => {
      const claimed = await replica.claim(claimant, claims.deadlineAtMs);
      results.push(claimed);
      if (claimed.kind !== 'ours') return;
      await awaited(stage(), 'k');
      replica.finished(claimant, answerOf('the one'));
    });
    await Promise.all(all);
    expect(results.filter(({ kind }) => kind === 'ours')).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === 'answered')).toHaveLength(5);
    expect(await db.query('select 1 from idempotency_claim')).toHaveLength(1);
  });

  it('is refused to another body, while it runs and afterwards', async () => {
    const { claims, one, two } = stage();
    const first = claims.claimant('k');
    await one.claim(first, claims.deadlineAtMs);
    const other = () => two.claim(claims.claimant('k', { bodyDigest: 'other' }), claims.deadlineAtMs);
    expect(await other()).toEqual({ kind: 'other-body' });
    one.finished(first, answerOf('x'));
    await one.flush();
    expect(await other()).toEqual({ kind: 'other-body' });
  });

  it('is tried again by exactly one of those who waited, when the first failed', async () => {
    const { claims, one, two } = stage();
    const three = await claims.replica('three');
    const first = claims.claimant('k');
    await one.claim(first, claims.deadlineAtMs);
    const claimants = [claims.claimant('k'), claims.claimant('k')] as const;
    const waiting = [
      two.claim(claimants[0], claims.deadlineAtMs),
      three.claim(claimants[1], claims.deadlineAtMs),
    ] as const;
    await awaited(stage(), 'k');
    await one.release(first);
    // Whoever was not waiting yet, or lost, sees it on its own.
    const winner = await Promise.race([waiting[0].then(() => 0), waiting[1].then(() => 1)]);
    const replica = winner === 0 ? two : three;
    replica.finished(claimants[winner === 0 ? 0 : 1], answerOf('second try'));
    await replica.flush();
    await Promise.all([two.tend(), three.tend()]);
    expect((await Promise.all(waiting)).map(kindOf).toSorted()).toEqual(['answered', 'ours']);
  });

  it('is waited for until the deadline and no longer', async () => {
    const { claims, one, two } = stage();
    await one.claim(claims.claimant('k'), claims.deadlineAtMs);
    const { deadlineAtMs } = claims;
    const waiting = two.claim(claims.claimant('k'), deadlineAtMs);
    await awaited(stage(), 'k');
    claims.nowMs = deadlineAtMs;
    two.expireWaits();
    expect(await waiting).toEqual({ kind: 'running' });
  });

  it('never takes the place of another request', async () => {
    const { claims, one, two } = stage();
    const [slow, quick] = [claims.claimant('k'), claims.claimant('k')];
    await one.claim(slow, claims.deadlineAtMs);
    await claims.silence('k');
    expect(await two.claim(quick, claims.deadlineAtMs)).toEqual({ kind: 'ours' });
    two.finished(quick, answerOf('quick'));
    await two.flush();
    one.finished(slow, answerOf('slow'));
    await one.flush();
    await one.release(slow);
    expect(await one.claim(claims.claimant('k'), claims.deadlineAtMs)).toMatchObject({
      kind: 'answered',
      requestId: quick.requestId,
      answer: { body: Buffer.from('quick') },
    });
  });
}

function takingOver(stage: () => Stage): void {
  it('is replaced by exactly one, of those who waited and those who come', async () => {
    const { claims, one, two } = stage();
    await one.claim(claims.claimant('k'), claims.deadlineAtMs);
    const waiting = two.claim(claims.claimant('k'), claims.deadlineAtMs);
    await awaited(stage(), 'k');
    await two.tend();
    await claims.silence('k');
    const others = await Promise.all(Array.from({ length: 4 }, (_, i) => claims.replica(`late-${i}`)));
    const { deadlineAtMs } = claims;
    const all = [waiting, ...others.map((replica) => replica.claim(claims.claimant('k'), deadlineAtMs))];
    await two.tend();
    await Promise.race(all);
    claims.nowMs = deadlineAtMs;
    for (const replica of [two, ...others]) replica.expireWaits();
    const kinds = (await Promise.all(all)).map(kindOf);
    expect(kinds.filter((kind) => kind === 'ours')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'running')).toHaveLength(4);
  });

  it('is not replaced while its heartbeat is heard', async () => {
    const { claims, db, one, two } = stage();
    await one.claim(claims.claimant('k'), claims.deadlineAtMs);
    await claims.silence('k');
    await one.tend();
    const [row] = await db.query<{ alive: boolean }>('select lease_until > now() as alive from idempotency_claim');
    expect(row?.alive).toBe(true);
    const { deadlineAtMs } = claims;
    const waiting = two.claim(claims.claimant('k'), deadlineAtMs);
    await awaited(stage(), 'k');
    await two.tend();
    claims.nowMs = deadlineAtMs;
    two.expireWaits();
    expect(await waiting).toEqual({ kind: 'running' });
  });

  it('is not replaced when it had already charged: its answer is lost, its key is not', async () => {
    const { claims, db, one, two } = stage();
    const first = claims.claimant('k');
    await one.claim(first, claims.deadlineAtMs);
    await postCompleted(db, first.requestId);
    await claims.silence('k');
    expect(await two.claim(claims.claimant('k'), claims.deadlineAtMs)).toEqual({
      kind: 'answer-gone',
      requestId: first.requestId,
    });
  });

  it('is not replaced from the moment it is about to charge, and its owner decides when it is back', async () => {
    const { claims, db, one, two } = stage();
    const [kept, lost] = [claims.claimant('kept'), claims.claimant('lost')];
    for (const first of [kept, lost]) {
      await one.claim(first, claims.deadlineAtMs);
      expect(await one.charging(first)).toBe(true);
      await claims.silence(first.id);
      // The charge is in the dead one's journal, and nowhere else.
      for (const replica of [two, await claims.replica('three')]) {
        expect(await replica.claim(claims.claimant(first.id), claims.deadlineAtMs)).toEqual({
          kind: 'answer-gone',
          requestId: first.requestId,
        });
      }
      expect(await two.claim(claims.claimant(first.id, { bodyDigest: 'other' }), claims.deadlineAtMs)).toEqual({
        kind: 'other-body',
      });
    }
    // Back, it has posted its journal: one of the two had died before its charge was written.
    await postCompleted(db, kept.requestId);
    await claims.replica('one');
    expect(await two.claim(claims.claimant('kept'), claims.deadlineAtMs)).toMatchObject({ kind: 'answer-gone' });
    expect(await two.claim(claims.claimant('lost'), claims.deadlineAtMs)).toEqual({ kind: 'ours' });
  });

  it('does not charge beside its successor when it had only stood still', async () => {
    const { claims, one, two } = stage();
    const [slow, quick] = [claims.claimant('k'), claims.claimant('k')];
    await one.claim(slow, claims.deadlineAtMs);
    await claims.silence('k');
    expect(await two.claim(quick, claims.deadlineAtMs)).toEqual({ kind: 'ours' });
    expect(await one.charging(slow)).toBe(false);
    expect(await two.charging(quick)).toBe(true);
    two.finished(quick, answerOf('quick'));
    await two.flush();
    expect(await one.charging(slow)).toBe(false);
  });

  it('charges once also when both began without the database', async () => {
    const { claims, db } = stage();
    let away = true;
    const alone = (owner: string) =>
      claims.replica(
        owner,
        {},
        intermittent(db, () => away && 'refuses'),
      );
    const [left, right] = [await alone('left'), await alone('right')];
    const [first, second] = [claims.claimant('k'), claims.claimant('k')];
    for (const [replica, claimant] of [
      [left, first],
      [right, second],
    ] as const) {
      expect(await replica.claim(claimant, claims.deadlineAtMs)).toEqual({ kind: 'unavailable' });
    }
    // While nobody can be asked the customer is not made to wait.
    expect(await left.charging(first)).toBe(true);
    away = false;
    expect(await left.charging(first)).toBe(true);
    expect(await right.charging(second)).toBe(false);
  });

  it('frees its keys when it comes back, but for those it had charged', async () => {
    const { claims, db, one, two } = stage();
    const [failed, charged, elsewhere] = ['failed', 'charged', 'elsewhere'].map((id) => claims.claimant(id));
    if (!failed || !charged || !elsewhere) throw new Error('three claimants');
    await one.claim(failed, claims.deadlineAtMs);
    await one.claim(charged, claims.deadlineAtMs);
    await two.claim(elsewhere, claims.deadlineAtMs);
    await postCompleted(db, charged.requestId);
    const again = await claims.replica('one');
    expect(await again.claim(claims.claimant('failed'), claims.deadlineAtMs)).toEqual({ kind: 'ours' });
    expect(await again.claim(claims.claimant('charged'), claims.deadlineAtMs)).toMatchObject({ kind: 'answer-gone' });
    const rows = await db.query(`select owner, state from idempotency_claim where id = 'elsewhere'`);
    expect(rows).toEqual([{ owner: 'two', state: 'running' }]);
  });

  it('is given the length of a lease to be heard of, after the database itself was away', async () => {
    const { claims, db, one } = stage();
    await one.claim(claims.claimant('k'), claims.deadlineAtMs);
    let away = true;
    const two = await claims.replica(
      'two',
      {},
      intermittent(db, () => away && 'refuses'),
    );
    expect(await two.claim(claims.claimant('other'), claims.deadlineAtMs)).toEqual({ kind: 'unavailable' });
    away = false;
    await claims.silence('k');
    const waiting = two.claim(claims.claimant('k'), claims.deadlineAtMs);
    await awaited(stage(), 'k');
    claims.nowMs += LEASE_MS;
    await two.tend();
    expect(await waiting).toEqual({ kind: 'ours' });
  });
}

async function postCompleted(db: Database, requestId: string): Promise<void> {
  await db.query(
    `insert into request_log (id, created_at, account_id, key_id, endpoint, model, stream, held, price_version, day, state, cost,
       status, counters, duration_ms, input_tokens, output_tokens, detail)
     values ($1, now(), 'acme', 'main', 'chat', 'mock/chat', false, 1, 'v1', current_date, 'completed', 1,
       200, '', 1, 1, 1, '')`,
    [requestId],
  );
}
