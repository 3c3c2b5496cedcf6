/** The month's end over HTTP: what is said about months, reports as JSON and as files, and what is refused. The figures are in conformance/month.suite.ts. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeCsv } from '../../src/accounting/csv-file.ts';
import { isDay, spanNamed, spanOf } from '../../src/accounting/months.ts';
import { csvCell } from '../../src/core/write-csv.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { type Operator, operatorOf } from './operator.ts';

let gateway: TestGateway;
let operator: Operator;

beforeAll(async () => {
  gateway = await startGateway();
  operator = await operatorOf(gateway);
  await operator.patch('/invoice-settings', {
    seller: { kind: 'company', name: 'Dargah', national_id: '14003778990' },
  });
  await operator.post('/accounts', { id: 'formula', name: '=HYPERLINK("http://x")' });
  await operator.post('/accounts/formula/credit', {
    kind: 'receipt',
    number: 'rcp-1',
    amount: 5_000,
    payer: 'Sara',
    dated_on: '2026-11-10',
  });
});
afterAll(() => gateway?.stop());

const file = async (path: string) => {
  const answered = await gateway.admin('GET', `/api/admin/books/files/${path}`);
  expect([answered.status, answered.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(answered.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w-]+\.csv"$/);
  const bytes = Buffer.from(await answered.arrayBuffer());
  expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
  return bytes.subarray(3).toString();
};

it('tells the running month, and closes none by a program', async () => {
  const { data } = await operator.get<{ data: { id: string; state: string }[] }>('/periods');
  expect(data[0]?.state).toBe('running');
  const month = data[0]?.id ?? '';
  const { checks } = await operator.get<{ checks: { id: string; level: string }[] }>(`/periods/${month}`);
  expect(checks.filter(({ level }) => level === 'red').map(({ id }) => id)).toContain('days-not-proven');
  expect(await operator.refused('POST', `/periods/${month}/closing`, {})).toEqual([403, null]);
  expect(await operator.refused('POST', `/periods/${month}/closing/decision`, { approve: true })).toEqual([403, null]);
  expect((await operator.refused('GET', '/periods/1300-01'))[0]).toBe(404);
});

it('changes the calendar of the books while no month is closed', async () => {
  expect(await operator.patch('/books/rule', { calendar: 'gregorian', tax_send_days: 20 })).toMatchObject({
    calendar: 'gregorian',
    calendar_fixed: false,
    tax_send_days: 20,
  });
  const { data } = await operator.get<{ data: { id: string }[] }>('/periods');
  expect(data[0]?.id).toMatch(/^20\d\d-\d\d$/);
  await operator.patch('/books/rule', { calendar: 'jalali', tax_send_days: 12 });
  expect(await operator.refused('PATCH', '/books/rule', { tax_send_days: 91 })).toEqual([400, 'tax_send_days']);
});

it('answers every report, and the same in a file', async () => {
  const trial = await operator.get<{ credit: string; debit: string; lines: { book: string; credit: string }[] }>(
    '/books/trial-balance',
  );
  expect(trial.debit).toBe(trial.credit);
  const wallets = trial.lines.find(({ book }) => book === 'wallets');
  expect(await file('trial-balance?language=en')).toContain(`,wallets,Wallets of customers,`);
  expect(await file('trial-balance?language=en')).toContain(`,${wallets?.credit}\r\n`);
  for (const path of ['/books/profit-and-loss?by=year&count=2', '/books/cash', '/books/vat', '/books/journal'])
    await operator.get(path);
  for (const report of ['profit?by=quarter', 'cash', 'journal', 'vat', 'invoices', 'tax']) await file(report);
  const ids = await operator.allPages('/books/journal', 2);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining([expect.stringMatching(/^topup:/)]));
});

it('lists balances of customers page by page, and names that a spreadsheet would run are quoted', async () => {
  const ids = await operator.allPages('/books/accounts?book=wallets', 1);
  expect(ids).toContain('wallet:formula');
  expect(new Set(ids).size).toBe(ids.length);
  expect(await file('accounts')).toContain(`wallet:formula,"'=HYPERLINK(""http://x"")",0,5000`);
});

it('lists invoices by every filter, and a file of the tax office changes what it says of them', async () => {
  const { data } = await operator.get<{ data: { number: string; tax_state: string; account_id: string }[] }>(
    '/books/invoices?account_id=formula',
  );
  expect(data).toMatchObject([{ account_id: 'formula', tax_state: 'not-sent', specimen: false, amount: '5000' }]);
  const number = data[0]?.number ?? '';
  const count = async (query: string) =>
    (await operator.get<{ data: unknown[] }>(`/books/invoices?account_id=formula&${query}`)).data.length;
  expect(await count(`number=${number}`)).toBe(1);
  expect(await count('number=999')).toBe(0);
  expect(await count('kind=credit-note')).toBe(0);
  expect(await count('tax_state=to-send')).toBe(1);
  expect(await count('from=2020-01-01&to=2020-02-01')).toBe(0);
  const text = `inno,state,reference\r\n${number},sent,"a, b"\r\n`;
  expect(await operator.post('/books/tax-results', { text })).toMatchObject({ changed: 1 });
  expect(await count('tax_state=sent')).toBe(1);
  expect(await operator.refused('POST', '/books/tax-results', { text: 'inno\n1\n' })).toEqual([400, 'text']);
  expect(await operator.refused('POST', '/books/tax-results', { text: 'inno,state\nwhat,sent\n' })).toEqual([
    400,
    'text',
  ]);
  expect(await file('tax')).toContain(`,${number},`);
});

it('refuses days, books and cursors that are none', async () => {
  for (const path of [
    '/books/trial-balance?to=2026-02-30',
    '/books/cash?from=2020-01-01&to=2026-01-01',
    '/books/accounts?book=petty-cash',
    '/books/journal?after=what',
    '/books/invoices?after=what',
    '/books/invoices?number=what',
    '/books/files/cash?from=2026-02-30',
    '/books/files/accounts?book=petty-cash',
  ])
    expect([path, (await operator.refused('GET', path))[0]]).toEqual([path, 400]);
  for (const path of ['/books/files/nothing', '/books/profit-and-loss?until=what', '/books/journal?month=1300-13'])
    expect([path, (await operator.refused('GET', path))[0]]).toEqual([path, 404]);
});

it('a file that breaks off is cut, and one that nobody reads is left', async () => {
  let cut = false;
  const sink = {
    gone: false,
    write: () => undefined,
    end() {},
    cut() {
      cut = true;
    },
  };
  async function* broken() {
    yield [['a']];
    throw new Error('the database is away');
  }
  const errors: unknown[] = [];
  await writeCsv({ name: 'x', head: ['x'], pieces: broken() }, sink, (error) => errors.push(error));
  expect([cut, errors.length]).toEqual([true, 1]);
});

it('cells are what they are, unless a spreadsheet would run them', () => {
  expect(['=1+1', '+98', '-x', '@a', '-12.5', '12', 'a,"b"'].map(csvCell)).toEqual([
    "'=1+1",
    "'+98",
    "'-x",
    "'@a",
    '-12.5',
    '12',
    '"a,""b"""',
  ]);
});

it('months, seasons and years of both calendars begin and end where they do', () => {
  expect(spanOf('jalali', 'month', '2026-11-17')).toEqual({
    id: '1405-08',
    firstDay: '2026-10-23',
    lastDay: '2026-11-21',
  });
  expect(spanOf('jalali', 'quarter', '2026-11-17')).toEqual({
    id: '1405-q3',
    firstDay: '2026-09-23',
    lastDay: '2026-12-21',
  });
  // 1403 is a leap year: its last month has 30 days.
  expect(spanNamed('jalali', 'month', '1403-12')).toEqual({
    id: '1403-12',
    firstDay: '2025-02-19',
    lastDay: '2025-03-20',
  });
  expect(spanNamed('jalali', 'year', '1404')?.lastDay).toBe('2026-03-20');
  expect(spanNamed('gregorian', 'month', '2028-02')?.lastDay).toBe('2028-02-29');
  expect(spanNamed('gregorian', 'month', '1405-02')).toBeUndefined();
  expect(['2026-02-28', '2026-02-29', '2026-13-01', '2026-1-1'].map(isDay)).toEqual([true, false, false, false]);
});
