/** Settlements to match and book, and a bill to pay, for the pages of reconciliation. */
import { expect } from 'vitest';
import type { TestGateway } from '../harness/start-gateway.ts';

export async function furnishBooks(gateway: Pick<TestGateway, 'admin'>): Promise<{ gateway: string; bank: string }> {
  const send = async (path: string, body: object): Promise<string> => {
    const answered = await gateway.admin('POST', `/api/admin${path}`, body);
    expect(answered.ok, `${path}: ${await answered.clone().text()}`).toBe(true);
    return ((await answered.json()) as { id: string }).id;
  };
  const head = 'تاریخ,مبلغ,کارمزد,مرجع,شرح';
  const columns = { date: 'تاریخ', amount: 'مبلغ', fee: 'کارمزد', reference: 'مرجع', text: 'شرح' };
  const rows = Array.from(
    { length: 12 },
    (_, at) => `1405/08/${10 + at},${(at + 1) * 1_100_000},11000,70012345${at},شارژ کیف پول`,
  );
  const file = (lines: string[]) => ({ unit: 'IRR', columns, text: [head, ...lines].join('\n') });
  const payout = { kind: 'gateway', source: 'zarinpal', external_id: 'P-88412', reference: '140508219', ...file(rows) };
  const moved = rows.slice(0, 4).map((row) => row.replace('11000,7', '0,9'));
  const ids = {
    gateway: await send('/settlements', payout),
    bank: await send('/settlements', { kind: 'bank', source: 'main', ...file(moved) }),
  };
  await send('/bills', {
    provider: 'spare-openai',
    number: 'INV-2026-11',
    dated_on: '2026-11-15',
    first_day: '1405-08-01',
    last_day: '1405-08-30',
    currency: 'USD',
    units: '1200',
    amount: '120000000',
  });
  await send('/documents', {
    id: 'owner-1',
    kind: 'owner-money',
    amount: '500000000',
    note: 'موجودی پیش از شروع دفترها',
  });
  return ids;
}
