/** What bounds shared idempotency claims, in size, in time, and when the database is away. */
import { expect, it } from 'vitest';
import { answerOf, awaited, intermittent, KEEP_MS, type Stage } from '../idempotency/replicas-of-claims.ts';

export function idempotencyBounds(stage: () => Stage): void {
  it('an answer that is too long, or not to be stored, leaves the fact', async () => {
    const { claims, two } = stage();
    for (const bound of [{ bytesPerAnswer: 3 }, { bytesPerAccount: 0 }]) {
      const one = await claims.replica('one', bound);
      const first = claims.claimant(JSON.stringify(bound));
      await one.claim(first, claims.deadlineAtMs);
      one.finished(first, answerOf('long'));
      await one.flush();
      const { requestId } = first;
      const again = await two.claim(claims.claimant(first.id), claims.deadlineAtMs);
      expect(again).toEqual({ kind: 'answer-gone', requestId });
    }
  });

  it('a key ends with its time, is then as good as new, and its row goes', async () => {
    const { claims, db, one, two } = stage();
    for (const id of ['again', 'forgotten']) {
      const first = claims.claimant(id);
      await one.claim(first, claims.deadlineAtMs);
      one.finished(first, answerOf('x'));
    }
    await one.flush();
    await one.claim(claims.claimant('runs'), claims.deadlineAtMs);
    claims.nowMs += KEEP_MS;
    const anew = claims.claimant('again', { bodyDigest: 'another' });
    expect(await two.claim(anew, claims.deadlineAtMs)).toEqual({ kind: 'ours' });
    await two.purge();
    const left = await db.query<{ id: string }>('select id from idempotency_claim order by id');
    // One that runs is never purged.
    expect(left.map(({ id }) => id)).toEqual(['again', 'runs']);
  });

  it('the oldest answers of an account lose their bytes first and their keys last', async () => {
    const { claims, db } = stage();
    const one = await claims.replica('one', { bytesPerAccount: 25, entriesPerAccount: 4 });
    for (let i = 0; i < 6; i++) {
      claims.nowMs += 1_000;
      for (const accountId of i < 2 ? ['acme', 'other'] : ['acme']) {
        const first = claims.claimant(`${accountId}-${i}`, { accountId });
        await one.claim(first, claims.deadlineAtMs);
        one.finished(first, answerOf('ten bytes.'));
        await one.flush();
      }
    }
    await one.trim();
    const rows = await db.query('select id, answer_bytes from idempotency_claim order by id');
    expect(rows).toEqual([
      { id: 'acme-2', answer_bytes: 0 },
      { id: 'acme-3', answer_bytes: 0 },
      { id: 'acme-4', answer_bytes: 10 },
      { id: 'acme-5', answer_bytes: 10 },
      { id: 'other-0', answer_bytes: 10 },
      { id: 'other-1', answer_bytes: 10 },
    ]);
  });

  it.each(['refuses', 'hangs'] as const)(
    'a database that %s stops no request, and gets its answer later',
    async (how) => {
      const { claims, db, two } = stage();
      let away: typeof how | false = how;
      const one = await claims.replica(
        'one',
        {},
        intermittent(db, () => away),
      );
      const first = claims.claimant('k');
      expect(await one.claim(first, claims.deadlineAtMs)).toEqual({ kind: 'unavailable' });
      away = 'refuses';
      one.finished(first, answerOf('served'));
      await one.flush();
      expect(one.log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
      away = false;
      await one.tend();
      await one.flush();
      expect(await two.claim(claims.claimant('k'), claims.deadlineAtMs)).toMatchObject({ kind: 'answered' });
    },
  );

  it('what is known to run elsewhere is not run beside it because the database went away', async () => {
    const { claims, db, one } = stage();
    await one.claim(claims.claimant('k'), claims.deadlineAtMs);
    let away = false;
    const two = await claims.replica(
      'two',
      {},
      intermittent(db, () => away && 'refuses'),
    );
    const { deadlineAtMs } = claims;
    const waiting = two.claim(claims.claimant('k'), deadlineAtMs);
    await awaited(stage(), 'k');
    away = true;
    await two.tend();
    claims.nowMs = deadlineAtMs;
    two.expireWaits();
    expect(await waiting).toEqual({ kind: 'running' });
  });
}
