/** What every archive of the request log keeps to, and that a day moves into it without a request lost or doubled. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeId } from '../../src/core/ids.ts';
import { money } from '../../src/core/money.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { type ArchivedDaysOptions, createArchivedDays } from '../../src/requestlog/archive/archived-days.ts';
import { withArchive } from '../../src/requestlog/archive/archived-log.ts';
import { archivedRow, LineDigest, type LogArchive } from '../../src/requestlog/archive/log-archive.ts';
import { createArchiveMover, forgetArchivedDays } from '../../src/requestlog/archive/move-day.ts';
import {
  createRequestLog,
  createUsageLines,
  createUsageReports,
  decodeRecord,
  dropOldPartitions,
  encodeRecord,
  preparePartitions,
  RequestList,
  type RequestRecord,
} from '../../src/requestlog/index.ts';
import type { UsageFilter, UsageGrouping } from '../../src/requestlog/request-filter.ts';
import { scaled } from '../harness/slowness.ts';
import { type Bookkeeping, emptyBooks, keepBooks, sealedUntil } from '../ledger/bookkeeping.ts';
import { record, START, testClock, testLog } from '../ledger/request-fixture.ts';

export type OpenArchive = () => Promise<{ db: Database; archive: LogArchive; close(): Promise<void> }>;

const DAY_MS = 86_400_000;
const DAY = '2026-11-15';
const PART = 'request_log_20261115';
let made = 0;
const at = (ms: number, over: Partial<RequestRecord> = {}): RequestRecord => {
  const id = makeId('req', START + ms, (count) => new Uint8Array(count).fill(made++ % 32));
  return record(id, { createdAt: START + ms, ...over });
};
const KEY_WITH_MAKER = `
insert into account (id, name, calendar, rules, created_at, updated_at) values ('acme', 'acme', '{}', '{}', now(), now()) on conflict do nothing;
insert into api_key (id, account_id, name, digest, prefix, last4, rules, created_at, updated_at, created_by)
values ('k1', 'acme', 'k1', sha256('k1'), 'p', 'last', '{}', now(), now(), 'person:p') on conflict do nothing`;
const refusing = () => Promise.reject(new Error('the archive is away'));
const waiting = () => new Promise<never>(() => {});
const readsBy = (read: () => Promise<never>): LogArchive => ({
  prepare: read,
  write: read,
  digest: read,
  drop: read,
  find: read,
  list: read,
  sums: read,
  close: async () => {},
});
const BROKEN = readsBy(refusing);
const HANGING = readsBy(waiting);
const stored = ({ budgets: _held, ...rest }: RequestRecord) => rest;

export function logArchiveSuite(name: string, open: OpenArchive): void {
  describe(`archive of the request log: ${name}`, () => {
    let opened: Awaited<ReturnType<OpenArchive>>;
    beforeAll(async () => {
      opened = await open();
      await opened.archive.prepare();
      await opened.archive.prepare();
    });
    afterAll(() => opened?.close());
    beforeEach(async () => {
      for (const day of [DAY, '2026-11-16']) await opened.archive.drop(day);
    });
    portTests(() => opened.archive);
    movingTests(() => opened);
  });
}

function portTests(archive: () => LogArchive): void {
  it('gives back every line as it was, and counts and hashes them as we do', async () => {
    const odd = `'"\\ \u2028 ${'گزارش'} \u0007 {} § ?`;
    const rows = [
      at(1, { user: odd, tags: [odd, 'b'], model: odd, errorCode: 'e', cost: money(10n ** 30n) }),
      at(2, { user: 'tab\there\nand\u0000', plan: [odd], warnings: ['\\n\\t'] }),
    ].map(archivedRow);
    await archive().write(DAY, rows);
    const digest = new LineDigest();
    for (const row of rows) {
      digest.add(row.line);
      expect(await archive().find(DAY, row.id)).toBe(row.line);
      expect(await archive().find('2026-11-16', row.id)).toBeUndefined();
    }
    expect(await archive().digest(DAY)).toEqual(digest.told);
    expect((await archive().digest('2026-11-16')).rows).toBe(0);
    const all = { before: undefined, limit: 10, from: DAY, to: DAY };
    expect(await archive().list({ user: odd }, all)).toEqual([rows[0]?.line]);
    expect(await archive().list({ tag: odd, model: odd }, all)).toEqual([rows[0]?.line]);
    await archive().drop(DAY);
    expect((await archive().digest(DAY)).rows).toBe(0);
  });

  it('lists newest first by every filter, page by page, within the days asked for', async () => {
    const rows = [
      at(1, { keyId: 'k2', endpoint: 'embeddings', durationMs: 900 }),
      at(2, { accountId: 'other', state: 'failed', errorCode: 'upstream_error' }),
      at(3, { model: 'm2', cost: money(90_000n), tags: ['x', 'team:a'], user: 'u1' }),
      at(4),
    ];
    await archive().write(DAY, rows.map(archivedRow));
    const next = at(DAY_MS);
    await archive().write('2026-11-16', [archivedRow(next)]);
    const found = async (filter: Parameters<LogArchive['list']>[0], page: object = {}) => {
      const days = { before: undefined, limit: 10, from: DAY, to: DAY, ...page };
      const lines = await archive().list(filter, days);
      return lines.map((line) => rows.findIndex(({ id }) => id === decodeRecord(line)?.id) + 1).join('');
    };
    expect(await found({})).toBe('4321');
    expect(await found({}, { limit: 2 })).toBe('43');
    expect(await found({}, { limit: 2, before: rows[2]?.id })).toBe('21');
    expect(await found({}, { to: '2026-11-16' })).toBe('04321');
    expect(await found({ accountId: 'acme' })).toBe('431');
    expect(await found({ accountId: 'acme', keyId: 'k2' })).toBe('1');
    expect(await found({ model: 'm2' })).toBe('3');
    expect(await found({ endpoint: 'embeddings' })).toBe('1');
    expect(await found({ state: 'failed' })).toBe('2');
    expect(await found({ errorCode: 'upstream_error' })).toBe('2');
    expect(await found({ user: 'u1' })).toBe('3');
    expect(await found({ tag: 'team:a' })).toBe('3');
    expect(await found({ tag: 'team' })).toBe('');
    expect(await found({ from: START + 2, to: START + 4 })).toBe('32');
    expect(await found({ costOver: 500n })).toBe('3');
    expect(await found({ slowerThanMs: 899 })).toBe('1');
  });
}

function movingTests(opened: () => { db: Database; archive: LogArchive }): void {
  let desk: Bookkeeping;
  const mover = (archive = opened().archive, owner = 'rep_1') =>
    createArchiveMover({ db: opened().db, archive, owner, sliceRows: 3, writeRows: 6 });
  const drop = (of = mover()) => dropOldPartitions(opened().db, START + 2 * DAY_MS, 1, of);
  const daysOf = (over: Partial<ArchivedDaysOptions> = {}) =>
    createArchivedDays({ ...opened(), clock: testClock(), log: testLog(), readMs: scaled(30_000), ...over });
  const log = (days = daysOf()) => withArchive(createRequestLog({ db: opened().db }), days);

  /** Eleven requests of a sealed day, and two of the next. */
  async function fill(over: (n: number) => Partial<RequestRecord> = () => ({})): Promise<RequestRecord[]> {
    const { db } = opened();
    await emptyBooks(db);
    await db.query(`delete from log_archive_day; drop table if exists ${PART}`);
    await preparePartitions(db, START, 1);
    desk = await keepBooks(db, testClock(), daysOf().counters);
    const all = [...Array.from({ length: 11 }, (_, n) => at(n, over(n))), at(DAY_MS), at(DAY_MS + 1)];
    await Promise.all(all.map((one) => desk.journal.close(one)));
    await desk.poster.postBatch();
    await sealedUntil(db, START + DAY_MS);
    return all.toReversed();
  }

  const readAll = async () => {
    const found: RequestRecord[] = [];
    for (let before: string | undefined; ; ) {
      const page = await log().list({ accountId: 'acme' }, { limit: 4, ...(before === undefined ? {} : { before }) });
      found.push(...page.requests);
      if (page.next === null) return found;
      before = page.next;
    }
  };

  it('moves a day: lists, receipts, refunds and the proof of the books go on', async () => {
    const all = await fill();
    const { db, archive } = opened();
    expect(await readAll()).toEqual(all.map(stored));
    expect(await drop()).toEqual([PART]);
    expect(await db.query(`select count(*)::int as n from request_log`)).toEqual([{ n: 2 }]);
    expect(await readAll()).toEqual(all.map(stored));
    const old = all.at(-1) as RequestRecord;
    expect(await log().find(old.id, 'acme')).toEqual(stored(old));
    expect(await log().find(old.id, 'other')).toBeUndefined();
    const refund = { kind: 'refund' as const, accountId: 'acme', requestId: old.id };
    await desk.books.transfer({ ...refund, id: 'f1', amount: money(400n) });
    await expect(desk.books.transfer({ ...refund, id: 'f2', amount: money(200n) })).rejects.toThrow();
    await expect(desk.books.transfer({ ...refund, accountId: 'b', id: 'f3', amount: money(1n) })).rejects.toThrow();
    expect((await desk.books.wallet('acme')).posted).toBe(-500n * 13n + 400n);
    await desk.prove();
    expect(await drop()).toEqual([]);
    await forgetArchivedDays({ db, archive }, '2026-11-15');
    expect(await readAll()).toHaveLength(13);
    await forgetArchivedDays({ db, archive }, '2026-11-16');
    expect(await readAll()).toHaveLength(2);
    expect((await archive.digest(DAY)).rows).toBe(0);
  });

  it('a refund of an archived request gives caps back what they counted, as one of the log does', async () => {
    const all = await fill();
    const { db } = opened();
    const total = async () =>
      (await desk.books.loadPosted(['cap:account:acme:total:all'])).get('cap:account:acme:total:all');
    const refund = (request: RequestRecord | undefined, id: string) =>
      desk.books.transfer({ kind: 'refund', accountId: 'acme', requestId: request?.id ?? '', id, amount: money(100n) });
    await refund(all.at(-1), 'while in the log');
    expect((await total())?.posted).toBe(6_400n);
    await sealedUntil(db, START + DAY_MS + 1);
    expect(await drop()).toEqual([PART]);
    await refund(all.at(-1), 'in the archive');
    await refund(all[0], 'of the next day');
    expect((await total())?.posted).toBe(6_200n);
    await desk.prove();
    const away = createArchivedDays({ ...opened(), archive: BROKEN, clock: testClock(), log: testLog() });
    const cut = await keepBooks(db, testClock(), away.counters);
    await expect(
      cut.books.transfer({
        kind: 'refund',
        accountId: 'acme',
        requestId: all.at(-1)?.id ?? '',
        id: 'x',
        amount: money(1n),
      }),
    ).rejects.toMatchObject({ code: 'overloaded', shouldRetry: true });
    await cut.close();
    await desk.prove();
  });

  it('sums of usage, files and the list of staff say the same before a day moves and after', async () => {
    await fill((n) => ({
      keyId: n % 2 === 0 ? 'k1' : 'k2',
      model: `m${n % 3}`,
      durationMs: 13 ** (n % 6),
      tags: n % 3 === 0 ? ['a', 'b'] : [],
      user: n % 4 === 0 ? `u"${n % 3}` : null,
      provider: n % 2 === 0 ? 'p1' : 'p2',
      responseCache: n === 2 ? 'hit' : n === 3 ? 'miss' : null,
      cacheSaved: money(n === 2 ? 7n : 0n),
      usage: { buckets: { inputFresh: 3, cacheRead: n, output: 2 }, source: 'upstream', raw: { total: 1 } },
      ...(n === 5
        ? { state: 'failed' as const, errorCode: 'upstream_error', cost: money(0n), providerCost: null }
        : {}),
    }));
    const { db } = opened();
    await db.query(KEY_WITH_MAKER);
    const reports = createUsageReports(db, daysOf());
    const files = createUsageLines(db, daysOf());
    const list = new RequestList({ db, clock: testClock(START + 2 * DAY_MS), archived: daysOf() });
    const span: UsageFilter = { accountId: 'acme', from: START - DAY_MS, to: START + 2 * DAY_MS };
    const filters: UsageFilter[] = [
      span,
      { ...span, keyId: 'k2', model: 'm1' },
      { ...span, member: 'person:p' },
      { ...span, user: 'u"0' },
      { ...span, tag: 'a', endpoint: 'chat.completions' },
      { ...span, from: START + 2, to: START + 9 },
    ];
    const groups: UsageGrouping[] = ['model', 'key', 'member', 'endpoint', 'user', 'tag', 'state', 'error'];
    const place = { after: null, limit: 5, sort: 'newest', use: 'list' } as const;
    const told = async () => ({
      sums: await Promise.all(
        filters.map(async (filter) => ({
          total: await reports.total(filter),
          days: await reports.series(filter, 'day', 'Asia/Tehran'),
          hours: await reports.series(filter, 'hour', 'Asia/Kolkata'),
          groups: await Promise.all(groups.map((by) => reports.breakdown(filter, by, 50))),
          lines: await files.lines(filter),
        })),
      ),
      pages: await Promise.all([
        list.page({}, place),
        list.page({ provider: 'p2' }, place),
        list.page({ accountId: 'acme', errorCode: 'upstream_error' }, place),
        list.page({}, { ...place, limit: 50 }),
      ]),
    });
    const before = await told();
    expect(before.sums[0]?.total).toMatchObject({ requests: 13, errors: 1, cacheAsked: 2, cacheHits: 1, saved: 7n });
    expect(await drop()).toEqual([PART]);
    const after = await told();
    expect(after.sums).toEqual(before.sums);
    expect(after.pages.map(({ rows }) => rows)).toEqual(before.pages.map(({ rows }) => rows));
    const [first] = after.pages;
    const rest = await list.page({}, { ...place, after: first?.next ?? null, limit: 50 });
    expect([...(first?.rows ?? []), ...rest.rows]).toEqual(before.pages[3]?.rows);
    expect(await list.count({}, 100)).toBeNull();
  });

  it.each([
    ['fails', BROKEN],
    ['hangs', HANGING],
  ])('an archive that %s keeps nobody from the rows of the log', async (_how, archive) => {
    const all = await fill();
    const { db } = opened();
    expect(await drop()).toEqual([PART]);
    const clock = testClock();
    const days = daysOf({ archive, clock, readMs: 1 });
    const [newest, next, , old] = all;
    const page = await log(days).list({ accountId: 'acme' }, { limit: 4 });
    expect(page.requests.map(({ id }) => id)).toEqual([newest?.id, next?.id]);
    expect(new Date(page.searchedBackTo ?? 0).toISOString()).toBe('2026-11-16T00:00:00.000Z');
    const again = { code: 'overloaded', shouldRetry: true };
    await expect(log(days).list({}, { limit: 4, before: page.next ?? '' })).rejects.toMatchObject(again);
    await expect(log(days).find(old?.id ?? '')).rejects.toMatchObject(again);
    expect((await log(days).find(newest?.id ?? ''))?.id).toBe(newest?.id);
    const span = { accountId: 'acme', from: START - DAY_MS, to: START + 2 * DAY_MS };
    await expect(createUsageReports(db, days).total(span)).rejects.toMatchObject(again);
    const list = new RequestList({ db, clock: testClock(START + 2 * DAY_MS), archived: days });
    const ofStaff = { after: null, limit: 4, sort: 'newest', use: 'list' } as const;
    expect(await list.page({}, ofStaff)).toMatchObject({ next: page.next, searchedBackTo: page.searchedBackTo });
    await expect(list.page({}, { ...ofStaff, use: 'job' })).rejects.toMatchObject(again);
  });

  it('is left alone for a while after it failed, and then asked again', async () => {
    const all = await fill();
    const { archive } = opened();
    expect(await drop()).toEqual([PART]);
    const clock = testClock();
    const old = all.at(-1)?.id ?? '';
    let asked = 0;
    const failing: LogArchive = {
      ...archive,
      async find(day, id) {
        if (++asked === 1) throw new Error('away');
        return archive.find(day, id);
      },
    };
    const days = daysOf({ archive: failing, clock, pauseMs: 1_000 });
    await expect(days.find(old)).rejects.toThrow('overloaded');
    await expect(days.find(old)).rejects.toThrow('overloaded');
    expect(asked).toBe(1);
    clock.advance(1_000);
    expect((await days.find(old))?.id).toBe(old);
  });

  it('loses and doubles nothing when it is killed: while it copies, and between copy and drop', async () => {
    const all = await fill();
    const { archive, db } = opened();
    let writes = 0;
    const dying: LogArchive = {
      ...archive,
      async write(day, rows) {
        await archive.write(day, rows);
        if (++writes === 1) throw new Error('killed');
      },
    };
    await expect(drop(mover(dying))).rejects.toThrow('killed');
    expect((await archive.digest(DAY)).rows).toBe(6);
    expect(await readAll()).toEqual(all.map(stored));
    // Another process waits until the lease of the dead one is over.
    expect(await drop(mover(archive, 'rep_2'))).toEqual([]);
    await db.query(`update log_archive_day set lease_until = now() - interval '1 second'`);
    expect(await mover(archive, 'rep_2').copied(DAY, PART)).toBe(true);
    expect((await archive.digest(DAY)).rows).toBe(11);
    expect(await readAll()).toEqual(all.map(stored));
    // It was killed before it dropped the day, which is not copied a second time.
    await db.query(`update log_archive_day set lease_until = now() - interval '1 second'`);
    expect(await drop(mover(dying))).toEqual([PART]);
    expect(writes).toBe(1);
    expect(await readAll()).toEqual(all.map(stored));
    await desk.prove();
  });

  it('a row that comes after the copy is copied before the day goes', async () => {
    const all = await fill();
    const { archive } = opened();
    expect(await mover().copied(DAY, PART)).toBe(true);
    const late = at(5_000, { cost: money(0n), providerCost: null });
    await desk.journal.close(late);
    await desk.poster.postBatch();
    expect(await drop()).toEqual([]);
    expect(await drop()).toEqual([PART]);
    expect((await archive.digest(DAY)).rows).toBe(12);
    expect((await readAll()).map(({ id }) => id)).toEqual([...all.map(({ id }) => id), late.id].sort().toReversed());
  });

  it('a day stays in the log when the archive holds something else than was written', async () => {
    const all = await fill();
    const { archive } = opened();
    const forgetful: LogArchive = { ...archive, write: (day, rows) => archive.write(day, rows.slice(1)) };
    await expect(drop(mover(forgetful))).rejects.toThrow('instead of 11');
    expect(await readAll()).toEqual(all.map(stored));
    expect(await drop()).toEqual([PART]);
    expect(await readAll()).toEqual(all.map(stored));
    expect(encodeRecord(all[5] as RequestRecord)).toContain(all[5]?.id);
  });
}
