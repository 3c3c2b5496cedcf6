/** Each list with each of its filters, and whether an index finds it. Tests look at their plans, the benchmark at their times. */
import { AccountList } from '../../src/accounts/index.ts';
import type { Clock } from '../../src/core/clock.ts';
import { TransferSearch } from '../../src/ledger/index.ts';
import { AuditLogList } from '../../src/lists/index.ts';
import { OrderList } from '../../src/payments/index.ts';
import { PersonList } from '../../src/people/index.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { RequestList, type WideFilter } from '../../src/requestlog/index.ts';
import { TicketList } from '../../src/support/index.ts';

export interface Look {
  name: string;
  indexed: boolean;
  ask(after?: string | null): Promise<{ rows: readonly unknown[]; next: string | null; searchedBackTo: number | null }>;
}

const DAY_MS = 86_400_000;
const FIRST = { limit: 50, use: 'list' as const };

export function everyLook(tools: { db: Database; clock: Clock }, nowMs: number): Look[] {
  return [
    ...requestLooks(tools, nowMs),
    ...orderLooks(tools, nowMs),
    ...transferLooks(tools, nowMs),
    ...accountLooks(tools),
    ...otherLooks(tools, nowMs),
  ];
}

function requestLooks(tools: { db: Database; clock: Clock }, nowMs: number): Look[] {
  const list = new RequestList(tools);
  const look = (
    name: string,
    indexed: boolean,
    filter: WideFilter,
    sort: 'newest' | 'dearest' | 'slowest' = 'newest',
  ) => ({
    name: `requests: ${name}`,
    indexed,
    ask: (after: string | null = null) => list.page(filter, { ...FIRST, sort, after }),
  });
  const day = { from: nowMs - 2 * DAY_MS, to: nowMs - DAY_MS };
  return [
    look('no filter', true, {}),
    look('time', true, day),
    look('account', true, { accountId: 'acc-5' }),
    look('failures', false, { state: 'failed' }),
    look('failures of an account', false, { state: 'failed', accountId: 'acc-26' }),
    look('error code', false, { errorCode: 'upstream_error' }),
    look('id', true, { idBegins: 'req_' }),
    look('key', false, { keyId: 'key_5' }),
    look('model', false, { model: 'vendor/model-3' }),
    look('provider', false, { provider: 'provider-7' }),
    look('endpoint', false, { endpoint: 'chat.completions' }),
    look('completed', false, { state: 'completed' }),
    look('cost', false, { costOver: 4_900_000_000n }),
    look('duration', false, { slowerThanMs: 59_000 }),
    look('end user', false, { user: 'user-77' }),
    look('nothing there', false, { model: 'vendor/none' }),
    look('dearest of a day', false, day, 'dearest'),
    look('slowest of a day', false, day, 'slowest'),
  ];
}

function orderLooks(tools: { db: Database; clock: Clock }, nowMs: number): Look[] {
  const list = new OrderList(tools);
  type Filter = Parameters<OrderList['page']>[0];
  const look = (name: string, indexed: boolean, filter: Filter, sort: 'newest' | 'sum' = 'newest') => ({
    name: `orders: ${name}`,
    indexed,
    ask: (after: string | null = null) => list.page(filter, { ...FIRST, sort, after }),
  });
  return [
    look('no filter', true, {}),
    look('time', true, { from: nowMs - 3 * DAY_MS, to: nowMs - DAY_MS }),
    look('account', true, { accountId: 'acc-5' }),
    look('gateway', true, { gateway: 'zibal' }),
    look('state', true, { state: 'paid' }),
    look('reference', true, { words: 'ref-77' }),
    look('external id', true, { words: 'ext-12' }),
    look('card', false, { words: '0042' }),
    look('sum', false, { sumFrom: 990_000_000_000n }),
    look('refunded', false, { refunded: true }),
    look('not settled', false, { notSettled: true }),
    look('stuck', false, { stuck: true }),
    look('receipt arrived', false, { receiptWaits: true }),
    look('gateway and state', false, { gateway: 'stripe', state: 'failed' }),
    look('by sum', false, { from: nowMs - 10 * DAY_MS, to: nowMs }, 'sum'),
  ];
}

function transferLooks(tools: { db: Database; clock: Clock }, nowMs: number): Look[] {
  const list = new TransferSearch(tools);
  const look = (name: string, indexed: boolean, filter: Parameters<TransferSearch['page']>[0]) => ({
    name: `transfers: ${name}`,
    indexed,
    ask: (after: string | null = null) => list.page(filter, { ...FIRST, after }),
  });
  return [
    look('no filter', true, {}),
    look('time', true, { from: nowMs - 3 * DAY_MS, to: nowMs - DAY_MS }),
    look('account', true, { accountId: 'acc-5' }),
    look('kind', true, { kind: 'top-up' }),
    look('document', true, { documentId: 'doc_none' }),
    look('book', false, { book: 'bank:melli' }),
    look('sum', false, { sumFrom: 999_000_000_000n }),
    look('person', false, { actor: 'staff:per_1' }),
  ];
}

function accountLooks(tools: { db: Database; clock: Clock }): Look[] {
  const list = new AccountList(tools);
  type Filter = Partial<Parameters<AccountList['page']>[0]>;
  const look = (
    name: string,
    filter: Filter,
    sort: 'created' | 'name' | 'balance' | 'spent' | 'last_use' = 'created',
  ) => ({
    name: `accounts: ${name}`,
    indexed: true,
    ask: (after: string | null = null) => list.page({ privateWords: true, ...filter }, { ...FIRST, sort, after }),
  });
  return [
    look('no filter', {}),
    look('name', { words: '۴۲۴۲' }),
    look('mobile', { words: '+98 912 000 0042' }),
    look('state', { state: 'paused' }),
    look('blocked', { state: 'blocked' }),
    look('negative', { state: 'negative' }, 'balance'),
    look('by name', {}, 'name'),
    look('by balance', {}, 'balance'),
    look('by spend', {}, 'spent'),
    look('by last use', {}, 'last_use'),
    look('with tickets', { hasTickets: true }),
  ];
}

function otherLooks(tools: { db: Database; clock: Clock }, nowMs: number): Look[] {
  const [people, log, tickets] = [new PersonList(tools), new AuditLogList(tools), new TicketList(tools)];
  const of = <F>(
    list: { page(filter: F, place: { limit: number; use: 'list'; after: string | null }): ReturnType<Look['ask']> },
    name: string,
    indexed: boolean,
    filter: F,
  ): Look => ({ name, indexed, ask: (after = null) => list.page(filter, { ...FIRST, after }) });
  return [
    of(people, 'people: no filter', true, {}),
    of(people, 'people: number', true, { words: '0912000' }),
    of(people, 'people: name', true, { words: '۴۲۴۲' }),
    of(people, 'people: staff', true, { role: 'support' as const }),
    of(people, 'people: blocked', false, { state: 'blocked' as const }),
    of(log, 'audit log: no filter', true, {}),
    of(log, 'audit log: subject', true, { subject: 'acc-7' }),
    of(log, 'audit log: person', true, { actor: 'staff:per_3' }),
    of(log, 'audit log: act', true, { action: 'key.create' }),
    of(log, 'audit log: time', true, { from: nowMs - 3 * DAY_MS, to: nowMs - DAY_MS }),
    of(log, 'audit log: account', false, { accountId: 'acc-7' }),
    of(tickets, 'tickets: no filter', true, {}),
    of(tickets, 'tickets: state', true, { state: 'open' as const }),
    of(tickets, 'tickets: account', true, { accountId: 'acc-7' }),
    of(tickets, 'tickets: mine', true, { assignedTo: 'per_1' }),
    of(tickets, 'tickets: nobody’s', false, { assignedTo: null }),
    of(tickets, 'tickets: subject', false, { words: 'subject 42' }),
    of(tickets, 'tickets: unread', false, { unread: true }),
  ];
}
