/** A page of very many transfers reads few of them, whatever is asked: the plan says how many, so no clock is needed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { firstIdAt } from '../../src/core/ids.ts';
import { createLedger, type TransferFilter } from '../../src/ledger/index.ts';
import { type Database, migrate, openDatabase } from '../../src/platform/db/index.ts';
import { type PostgresService, postgresMissing, startPostgres } from '../services/postgres.ts';
import { rowsReadBy } from '../services/rows-read.ts';
import { recordedLog } from '../services/silent-log.ts';

const ROWS = 200_000;
/** One in so many is not a charge: what was paid in, a correction, a refund; one in fifty is what a provider costs. */
const RARE = 20_000;
const PAGE = 50;
const MAX_READ = 20 * PAGE;
const timeOf = (n: number) => Date.parse('2026-11-01T00:00:00Z') + n * 3_000;
/** SQL of what `firstIdAt` gives: charges of all accounts are found by the time in their ids. */
const idAt = (n: string) => `'req_' || (
  select string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((${timeOf(0)} + (${n}) * 3000::bigint) >> (5 * place) & 31)::int + 1, 1), '' order by place desc)
  from generate_series(0, 8) as place)`;
const cursorAt = (n: number) => Buffer.from(`${timeOf(n)}.${n}`).toString('base64url');

describe.skipIf(postgresMissing())('books of very many transfers', () => {
  let service: PostgresService;
  let db: Database;
  beforeAll(async () => {
    service = await startPostgres();
    db = await openDatabase({
      databaseUrl: await service.createDatabase(),
      dataDir: '',
      log: recordedLog(),
      clock: systemClock,
    });
    await migrate(db);
    await db.query(`
      insert into ledger_transfer (id, debit, credit, amount, kind, account_id, request_id, note, created_at)
      select
        case kind when 'charge' then ${idAt('n')} when 'provider-cost' then 'supply:' || n when 'top-up' then 'topup:ord_' || n else 'hand-' || n end,
        case kind when 'charge' then 'wallet:' || account when 'provider-cost' then 'costs' else 'cash' end,
        case kind when 'charge' then 'revenue' when 'provider-cost' then 'provider:a' else 'wallet:' || account end,
        100, kind, case when kind <> 'provider-cost' then account end,
        case when kind in ('charge', 'refund') then ${idAt('n - n % 3')} end, null, timestamptz '2026-11-01' + n * interval '3 seconds'
      from (
        select n, case when n % 2 = 0 then 'acme' else 'other' end as account,
          case when n % ${RARE} = 0 then 'top-up' when n % ${RARE} = 2 then 'refund' when n % ${RARE} = 4 then 'adjustment'
            when n % 50 = 1 then 'provider-cost' else 'charge' end as kind
        from generate_series(1, ${ROWS}) as n
      ) as made order by n`);
    await db.query('analyze ledger_transfer');
  }, 300_000);
  afterAll(async () => {
    await db?.close();
    await service?.remove();
  });

  const day = { from: timeOf(ROWS / 4), to: timeOf(ROWS / 4) + 86_400_000 };
  it.each<[string, TransferFilter, string | undefined]>([
    ['the newest of all', {}, undefined],
    ['far behind', {}, cursorAt(ROWS / 2)],
    ['a day long ago', day, undefined],
    ['the rest of a day long ago', day, cursorAt(ROWS / 4 + 9_000)],
    ['one account', { accountId: 'acme' }, undefined],
    ['one account, a day long ago', { accountId: 'acme', ...day }, undefined],
    ['an account without transfers', { accountId: 'nobody' }, undefined],
    ['charges', { kind: 'charge' }, cursorAt(ROWS / 2)],
    ['what was paid in', { kind: 'top-up' }, undefined],
    ['what was paid in by one account', { kind: 'top-up', accountId: 'acme' }, undefined],
    ['what providers cost', { kind: 'provider-cost' }, cursorAt(ROWS / 2)],
    ['what providers cost, of an account', { kind: 'provider-cost', accountId: 'acme' }, undefined],
    ['a kind that never was', { kind: 'chargeback', accountId: 'acme' }, undefined],
    ['into wallets', { direction: 'in' }, undefined],
    ['into the wallet of an account', { direction: 'in', accountId: 'acme' }, undefined],
    ['into a wallet that nothing came into', { direction: 'in', accountId: 'other' }, undefined],
    ['out of wallets', { direction: 'out' }, cursorAt(ROWS / 2)],
    ['a request', { reference: firstIdAt('req', timeOf(30_001)) }, undefined],
    ['an order', { reference: `ord_${RARE}` }, undefined],
    ['a reference that nothing has', { reference: 'nothing' }, undefined],
  ])('%s', async (_what, filter, before) => {
    const read = await rowsReadBy(db, (watched) =>
      createLedger({ db: watched, clock: systemClock }).transfers(filter, {
        limit: PAGE,
        ...(before === undefined ? {} : { before }),
      }),
    );
    expect(read).toBeLessThanOrEqual(MAX_READ);
  });

  it('every transfer stands on one page, also when many are of the same millisecond', async () => {
    const at = timeOf(ROWS + 1_000);
    await db.query(
      `insert into ledger_transfer (id, debit, credit, amount, kind, account_id, request_id, created_at)
       select case when n % 4 = 0 then 'hand-together-' || n else $1 || n end, 'wallet:acme', 'revenue', 100,
         case when n % 4 = 0 then 'adjustment' else 'charge' end, 'acme', null, to_timestamp($2::float8 / 1000)
       from generate_series(1000, 1199) as n`,
      [firstIdAt('req', at), at],
    );
    const books = createLedger({ db, clock: systemClock });
    for (const accountId of [undefined, 'acme']) {
      const filter = { from: at, to: at + 1, ...(accountId && { accountId }) };
      const found: string[] = [];
      for (let before: string | null | undefined; before !== null; ) {
        const page = await books.transfers(filter, { limit: 30, ...(before && { before }) });
        found.push(...page.entries.map(({ id }) => id));
        before = page.next;
      }
      expect(found).toHaveLength(200);
      expect(new Set(found).size).toBe(200);
    }
  });

  it('a cursor that somebody made up is refused, and never reaches the database', async () => {
    const books = createLedger({ db, clock: systemClock });
    const madeUp = (text: string) => Buffer.from(text).toString('base64url');
    for (const before of [madeUp(`${timeOf(1)}.\0`), madeUp('x'), madeUp(`${timeOf(1)}.`), 'not base64'])
      await expect(books.transfers({}, { limit: PAGE, before })).rejects.toMatchObject({ code: 'invalid_request' });
    const ofAccount = books.transfers({ accountId: 'acme' }, { limit: PAGE, before: madeUp(`${timeOf(1)}.1 or 1=1`) });
    await expect(ofAccount).rejects.toMatchObject({ code: 'invalid_request' });
    const { entries } = await books.transfers({}, { limit: PAGE, before: madeUp('999999999999999.zz') });
    expect(entries).toHaveLength(PAGE);
  });

  it('who made the transfers of a page is found by keys, not by walks', async () => {
    await db.query(`
      insert into admin_event (id, at, actor, action, subject, detail)
      select 'evt_' || n, timestamptz '2026-11-01' + n * interval '3 seconds', 'operator', 'credit.top-up', 'acme',
        jsonb_build_object('transfer', 'hand-' || n)
      from generate_series(1, 20000) as n`);
    await db.query('analyze admin_event');
    const { entries } = await createLedger({ db, clock: systemClock }).transfers({ direction: 'in' }, { limit: PAGE });
    const read = await rowsReadBy(db, (watched) => createLedger({ db: watched, clock: systemClock }).doersOf(entries));
    // Ten minutes of the audit log of an account for each.
    expect(read).toBeLessThanOrEqual(PAGE * 220);
  });
});
