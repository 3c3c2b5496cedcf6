/** What every Database must do, run on each implementation. */
import { AsyncResource } from 'node:async_hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database, Queryable } from '../../src/platform/db/index.ts';

export interface DatabaseUnderTest {
  db: Database;
  close(): Promise<void>;
}

export function databaseSuite(name: string, open: () => Promise<DatabaseUnderTest>): void {
  describe(`database conformance: ${name}`, () => {
    let subject: DatabaseUnderTest;
    let db: Database;
    beforeAll(async () => {
      subject = await open();
      db = subject.db;
      await db.query('create table conformance (id integer primary key, amount bigint not null)');
    });
    afterAll(() => subject.close());

    it('answers values without losing digits', async () => {
      const [row] = await db.query<Record<string, unknown>>(
        `select 9007199254740993::bigint as big, array[1, null, 9007199254740993]::bigint[] as bigs,
                12345678901234567890.123456::numeric as exact, '{"a":[1]}'::jsonb as data,
                '2026-11-15T00:00:00Z'::timestamptz as at, '\\x00ff'::bytea as bytes`,
      );
      expect(row).toEqual({
        big: 9007199254740993n,
        bigs: [1n, null, 9007199254740993n],
        exact: '12345678901234567890.123456',
        data: { a: [1] },
        at: new Date('2026-11-15T00:00:00Z'),
        bytes: Buffer.from([0, 255]),
      });
    });

    it('takes bigint, arrays, json and bytes as parameters', async () => {
      const [row] = await db.query<Record<string, unknown>>(
        'select $1::bigint as big, $2::bigint[] as bigs, $3::jsonb as data, $4::bytea as bytes, $5::text[] as texts',
        [-(2n ** 62n), [1n, 2n], { fa: 'سلام' }, Buffer.from([1, 2]), ['a', 'b"c', null]],
      );
      expect(row).toEqual({
        big: -(2n ** 62n),
        bigs: [1n, 2n],
        data: { fa: 'سلام' },
        bytes: Buffer.from([1, 2]),
        texts: ['a', 'b"c', null],
      });
    });

    it('runs several statements in one text and answers the rows of the last', async () => {
      expect(await db.query('select 1 as a; select 2 as b')).toEqual([{ b: 2 }]);
    });

    it('runs a named statement again and again, inside and outside transactions', async () => {
      const ask = (on: Queryable, n: number) =>
        on.query<{ n: number }>('select $1::int + 1 as n', [n], { name: 'conformance-plus-one' });
      expect(await ask(db, 1)).toEqual([{ n: 2 }]);
      expect(await db.transaction((tx) => ask(tx, 2))).toEqual([{ n: 3 }]);
      expect(await ask(db, 3)).toEqual([{ n: 4 }]);
    });

    it('keeps a committed transaction and forgets a failed one', async () => {
      await db.transaction((tx) => tx.query('insert into conformance values (1, 10)'));
      const failing = db.transaction(async (tx) => {
        await tx.query('insert into conformance values (2, 20)');
        throw new Error('changed my mind');
      });
      await expect(failing).rejects.toThrow('changed my mind');
      expect(await db.query('select id, amount from conformance')).toEqual([{ id: 1, amount: 10n }]);
    });

    it('answers SQL errors with their state, stays healthy and usable', async () => {
      await expect(db.query('select nothing from nowhere')).rejects.toMatchObject({ code: '42P01' });
      await expect(db.query('insert into conformance values ($1, $2)', [1, 1])).rejects.toMatchObject({
        code: '23505',
      });
      expect(db.healthy()).toBe(true);
      expect(await db.query('select 1 as one')).toEqual([{ one: 1 }]);
    });

    it.each(['40001', '40P01'])('runs the work again after %s', async (state) => {
      let runs = 0;
      const result = await db.transaction(async (tx) => {
        runs++;
        if (runs < 3) await tx.query(`do $$ begin raise exception 'again' using errcode = '${state}'; end $$`);
        return 'done';
      });
      expect([result, runs]).toEqual(['done', 3]);
    });

    it('does not run the work again for ever', async () => {
      let runs = 0;
      const hopeless = db.transaction(async (tx) => {
        runs++;
        await tx.query(`do $$ begin raise exception 'again' using errcode = '40001'; end $$`);
      });
      await expect(hopeless).rejects.toMatchObject({ code: '40001' });
      expect(runs).toBe(6);
    });

    it('keeps concurrent transactions apart', async () => {
      await db.query('insert into conformance values (100, 0)');
      const increment = () =>
        db.transaction(async (tx) => {
          const [row] = await tx.query<{ amount: bigint }>('select amount from conformance where id = 100 for update');
          await tx.query('update conformance set amount = $1 where id = 100', [(row?.amount ?? 0n) + 1n]);
        });
      await Promise.all(Array.from({ length: 25 }, increment));
      expect(await db.query('select amount from conformance where id = 100')).toEqual([{ amount: 25n }]);
    });

    it('refuses the database itself inside a transaction, instead of waiting for ever', async () => {
      await expect(db.transaction(() => db.query('select 1'))).rejects.toThrow('use the `tx`');
      await expect(db.transaction(() => db.transaction(async () => 1))).rejects.toThrow('use the `tx`');
      expect(await db.query('select 1 as one')).toEqual([{ one: 1 }]);
    });

    it('lets work that outlives its transaction use the database', async () => {
      let later: () => Promise<unknown> = async () => undefined;
      await db.transaction(async () => {
        later = AsyncResource.bind(() => db.query('select 1 as one'));
      });
      expect(await later()).toEqual([{ one: 1 }]);
    });

    it('delivers news after the commit, by topic, and none of a failed transaction', async () => {
      const heard: string[] = [];
      let arrived: () => void = () => {};
      const last = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const stop = db.subscribe(
        'topic',
        (id) => {
          heard.push(id);
          if (id === 'end') arrived();
        },
        () => {},
      );
      await db
        .transaction(async (tx) => {
          await db.publish(tx, 'topic', 'never');
          throw new Error('no');
        })
        .catch(() => {});
      await db.transaction(async (tx) => {
        await db.publish(tx, 'topic', 'a:b');
        await db.publish(tx, 'other', 'elsewhere');
        expect(heard).toEqual([]);
      });
      await db.publish(db, 'topic', '');
      await db.publish(db, 'topic', 'end');
      await last;
      stop();
      expect(heard).toEqual(['a:b', '', 'end']);
    });

    it('goes on delivering when a subscriber throws', async () => {
      const stopBad = db.subscribe(
        'shaky',
        () => {
          throw new Error('bad subscriber');
        },
        () => {},
      );
      const heard = new Promise<string>((resolve) => {
        db.subscribe('shaky', resolve, () => {});
      });
      await db.publish(db, 'shaky', 'x');
      expect(await heard).toBe('x');
      stopBad();
    });

    it('knows Persian letters: lower, length and trigrams do not depend on a C locale', async () => {
      const [row] = await db.query<{ letters: number; word: boolean }>(
        `select length('درگاه')::int as letters, 'درگاه' ~ '^\\w+$' as word`,
      );
      expect(row).toEqual({ letters: 5, word: true });
    });
  });
}
