/** Exports on both databases: whole after a kill, stopped by their owner, bounded, two at once. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createExports, type ExportableList } from '../../src/lists/index.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { onBothDatabases } from '../services/both-databases.ts';
import { recordedLog } from '../services/silent-log.ts';

const OWNER = { actor: 'staff:per_a', role: 'owner' as const };
const BOUNDS = { sliceRows: 100, pageRows: 30, maxRows: 10_000, maxBytes: 1_000_000, chunkBytes: 300 };

onBothDatabases((name, open) => {
  describe(`exports, ${name}`, () => {
    let db: Database;
    let close: () => Promise<void>;
    let ms = 1_800_000_000_000;
    const clock = { now: () => ms, monotonicMs: () => ms };
    /** Called before each page is read. */
    let onRead: (after: string | null) => void = () => undefined;
    const told: { id: string; rows: number; problem: string | null }[] = [];

    beforeAll(async () => {
      ({ db, close } = await open());
    }, 120_000);
    afterAll(() => close?.());
    beforeEach(async () => {
      onRead = () => undefined;
      told.length = 0;
      await db.query('delete from export_job');
    });

    const numbers = (count: number): ExportableList => ({
      id: 'requests',
      columns: ['n', 'text'],
      sight: (role) => (role === 'viewer' ? undefined : role === 'support' ? 'care' : 'money'),
      async read(_query, { after, limit }) {
        onRead(after);
        const start = after === null ? 0 : Number(after);
        const end = Math.min(count, start + limit);
        const lines = Array.from({ length: end - start }, (_, at) => [
          start + at,
          `=row ${start + at} ${'x'.repeat(20)}`,
        ]);
        return { lines, next: end < count ? String(end) : null, reachedMs: null };
      },
    });
    const worker = (count = 250) => {
      const made = createExports({
        db,
        clock,
        randomBytes,
        log: recordedLog(),
        record: async () => {},
        tellEnd: async (_tx, { id, rows, problem }) => void told.push({ id, rows, problem }),
        bounds: BOUNDS,
      });
      made.add(numbers(count));
      return made;
    };
    const begin = (exports: ReturnType<typeof worker>) =>
      exports.begin({ list: 'requests', query: {}, language: 'en' }, OWNER);
    const textOf = async (exports: ReturnType<typeof worker>, id: string) => {
      const parts: Uint8Array[] = [];
      for await (const piece of (await exports.download(id, OWNER)).pieces) parts.push(piece);
      return Buffer.concat(parts).toString();
    };

    it('are made in slices whose chunks fit, with every row once and no formula', async () => {
      const exports = worker();
      const { id } = await begin(exports);
      await expect(exports.download(id, OWNER)).rejects.toMatchObject({ code: 'conflict' });
      expect(await exports.work()).toBe(true);
      expect((await exports.of(OWNER.actor))[0]).toMatchObject({ state: 'done', rows: 250 });
      expect(told).toEqual([{ id, rows: 250, problem: null }]);
      const lines = (await textOf(exports, id)).split('\r\n');
      expect(lines[0]).toBe('\ufeffn,text');
      expect(lines.slice(1, -1).map((line) => Number(line.split(',')[0]))).toEqual(
        Array.from({ length: 250 }, (_, n) => n),
      );
      expect(lines[1]).toContain(",'=row 0");
      const [size] = await db.query<{ most: number; n: number }>(
        'select max(octet_length(content)) as most, count(*)::integer as n from export_chunk where job_id = $1',
        [id],
      );
      expect(size?.most).toBeLessThanOrEqual(BOUNDS.chunkBytes);
      expect(size?.n).toBeGreaterThan(3);
    });

    it('are gone on with after a kill where the last slice ended, and given up after three', async () => {
      const first = worker();
      const { id } = await begin(first);
      onRead = (after) => {
        // As a kill: the statement never comes, and neither does the end of the job.
        if (after === '130') throw Object.assign(new Error('connection terminated'), { code: '57P01' });
      };
      await expect(first.work()).rejects.toThrow('terminated');
      expect((await first.of(OWNER.actor))[0]).toMatchObject({ state: 'running', rows: 100 });
      expect(await worker().work()).toBe(false);
      onRead = () => undefined;
      ms += 3 * 60_000;
      const second = worker();
      expect(await second.work()).toBe(true);
      const lines = (await textOf(second, id)).split('\r\n').slice(1, -1);
      expect(lines.map((line) => Number(line.split(',')[0]))).toEqual(Array.from({ length: 250 }, (_, n) => n));

      const { id: doomed } = await begin(second);
      onRead = () => {
        throw Object.assign(new Error('connection terminated'), { code: '57P01' });
      };
      for (let tries = 0; tries < 3; tries++) {
        await expect(second.work()).rejects.toThrow('terminated');
        ms += 3 * 60_000;
      }
      expect(await second.work()).toBe(false);
      const jobs = await second.of(OWNER.actor);
      expect(jobs.find((job) => job.id === doomed)).toMatchObject({ state: 'failed', problem: 'interrupted' });
      expect(told).toMatchObject([
        { id, rows: 250, problem: null },
        { id: doomed, problem: 'interrupted' },
      ]);
    });

    it('stop when their owner says so, also in the middle, and are nobody else’s', async () => {
      const exports = worker();
      const { id } = await begin(exports);
      await expect(exports.stop(id, 'staff:per_b')).rejects.toMatchObject({ code: 'not_found' });
      await expect(exports.download(id, { ...OWNER, actor: 'staff:per_b' })).rejects.toMatchObject({
        code: 'not_found',
      });
      let stopping: Promise<unknown> | undefined;
      onRead = (after) => {
        if (after === '130') stopping ??= exports.stop(id, OWNER.actor);
      };
      const working = exports.work();
      await working;
      await stopping;
      const [job] = await exports.of(OWNER.actor);
      expect(job?.state).toBe('stopped');
      expect(told).toEqual([]);
      expect(job?.rows).toBeLessThan(250);
    });

    it('that are too large fail by name, and keep nothing beyond the bound', async () => {
      const exports = worker(10_500);
      await begin(exports);
      await exports.work();
      expect((await exports.of(OWNER.actor))[0]).toMatchObject({ state: 'failed', problem: 'too_large' });
      expect(told).toMatchObject([{ problem: 'too_large' }]);
    });

    it('run two at once over all replicas, and five of one person wait at most', async () => {
      const [one, two, three] = [worker(), worker(), worker()];
      for (let n = 0; n < 5; n++) await begin(one);
      await expect(begin(one)).rejects.toMatchObject({ code: 'conflict' });
      await db.query(
        `update export_job set state = 'running', worker = 'x', leased_until = $1 where id in (select id from export_job limit 2)`,
        [new Date(ms + 60_000)],
      );
      expect(await Promise.all([one.work(), two.work(), three.work()])).toEqual([false, false, false]);
    });

    it('ask the role again at the download, and are kept for a day', async () => {
      const exports = worker();
      const { id } = await begin(exports);
      await exports.work();
      await expect(exports.download(id, { ...OWNER, role: 'viewer' })).rejects.toMatchObject({ code: 'forbidden' });
      await expect(exports.download(id, { ...OWNER, role: 'support' })).rejects.toMatchObject({ code: 'conflict' });
      await expect(
        exports.begin({ list: 'requests', query: {}, language: 'en' }, { ...OWNER, role: 'viewer' }),
      ).rejects.toMatchObject({ code: 'forbidden' });
      ms += 25 * 3_600_000;
      await exports.clean();
      expect(await exports.of(OWNER.actor)).toEqual([]);
      expect(await db.query('select from export_chunk')).toEqual([]);
    });
  });
});
