/** Days of a small business with trouble in it, for tests of seals: late journals, refunds, requests that run over midnight. */
import { randomBytes } from 'node:crypto';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import { makeId } from '../../src/core/ids.ts';
import { money, toTomanText } from '../../src/core/money.ts';
import { type BooksProofs, createBooksProofs } from '../../src/ledger/index.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import type { AttemptRecord, RequestRecord } from '../../src/requestlog/index.ts';
import { type Bookkeeping, keepBooks } from './bookkeeping.ts';
import { record, type TestClock, testClock } from './request-fixture.ts';

/** Midnight of Tehran. In the past of any machine: days are closed by the database's clock too. */
export const FIRST_DAY = Date.parse('2024-03-05T00:00:00+03:30');
const SECRETS = createSecretBox(Buffer.alloc(32, 7));

export interface SealStage {
  db: Database;
  desk: Bookkeeping;
  clock: TestClock;
  proofs(over?: { db?: Database; mostRows?: number }): BooksProofs;
  /** Does what is due. */
  tick(proofs?: BooksProofs): Promise<void>;
  /** Runs of `proofs` that go on by themselves. */
  settled(): Promise<void>;
}

export async function openSealStage(db: Database): Promise<SealStage> {
  const clock = testClock(FIRST_DAY + 9 * HOUR_MS);
  const desk = await keepBooks(db, clock);
  const running: Promise<unknown>[] = [];
  const proofs: SealStage['proofs'] = (over = {}) =>
    createBooksProofs({
      db,
      clock,
      secrets: SECRETS,
      randomBytes,
      replicaId: 'rep_test',
      pause: async () => {},
      busy: () => false,
      detach: (work) => running.push(work.catch(() => undefined)),
      ...over,
    });
  return {
    db,
    desk,
    clock,
    proofs,
    tick: async (by = proofs()) => void (await (await by.due())?.()),
    settled: async () => void (await Promise.all(running.splice(0))),
  };
}

/** A generator that repeats itself for a seed. */
export function chanceOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

export function requestAt(createdAt: number, over: Partial<RequestRecord> = {}): RequestRecord {
  const day = new Date(createdAt).toISOString().slice(0, 10);
  return record(makeId('req', createdAt, randomBytes), {
    createdAt,
    day,
    counters: [`cap:key:k1:daily:${day}`, 'cap:account:acme:total:all'],
    ...over,
  });
}

export async function post({ desk }: SealStage, ...records: RequestRecord[]): Promise<void> {
  await Promise.all(records.map((one) => desk.journal.close(one)));
  while (desk.journal.depth() > 0) await desk.poster.postBatch();
}

const STATES = ['completed', 'completed', 'completed', 'failed', 'refused', 'interrupted', 'client_closed'] as const;

function someRequest(chance: (below: number) => number, at: number): RequestRecord {
  const state = STATES[chance(STATES.length)] ?? 'completed';
  const cost = state === 'completed' || state === 'client_closed' ? BigInt(1 + chance(900)) : 0n;
  const accountId = `acc${chance(3)}`;
  const provider = state === 'refused' ? null : `prov${chance(2)}`;
  const day = new Date(at).toISOString().slice(0, 10);
  return requestAt(at, {
    state,
    accountId,
    model: `model${chance(2)}`,
    provider,
    cost: money(cost),
    providerCost: provider === null || chance(4) === 0 ? null : money(cost / 2n),
    counters: [`cap:key:k1:daily:${day}`, `cap:account:${accountId}:total:all`],
    usage: { buckets: { inputFresh: 10, cacheRead: chance(50), output: 5 }, source: 'upstream' },
    formula: [],
    attempts: state === 'refused' || chance(2) === 0 ? [] : [lostHedge(at, `prov${chance(2)}`, chance(90))],
  });
}

/** An attempt that lost against another: it cost so many micro-toman and was not sold. */
export function lostHedge(at: number, provider: string, cost: number): AttemptRecord {
  return {
    provider,
    route: 'openai/gpt',
    credential: 'c1',
    outcome: 'hedge-lost',
    status: null,
    startedAt: at,
    firstEventMs: null,
    durationMs: 5,
    cause: null,
    providerCost: toTomanText(money(BigInt(cost))),
  };
}

/** One day: requests all over it, some of which stay in a journal that is found later; credit, corrections and refunds. */
export async function liveOneDay(
  stage: SealStage,
  chance: (below: number) => number,
  dayStart: number,
  lost: RequestRecord[],
): Promise<void> {
  const { desk, clock } = stage;
  const made = Array.from({ length: 12 }, () => someRequest(chance, dayStart + chance(DAY_MS)));
  const [kept, left] = [made.slice(0, 9), made.slice(9)];
  await post(stage, ...kept);
  lost.push(...left);
  clock.advance(Math.max(0, dayStart + 10 * HOUR_MS - clock.now()));
  await desk.books.transfer({
    id: `topup:${dayStart}`.replace('topup:', 'hand-'),
    kind: 'top-up',
    accountId: `acc${chance(3)}`,
    amount: money(BigInt(5_000 + chance(100))),
  });
  const charged = kept.filter(({ cost }) => cost > 1n);
  const refunded = charged[chance(Math.max(1, charged.length))];
  if (refunded)
    await desk.books.transfer({
      id: `back-${dayStart}`,
      kind: 'refund',
      accountId: refunded.accountId,
      amount: money(refunded.cost / 2n > 0n ? refunded.cost / 2n : 1n),
      requestId: refunded.id,
    });
  // Found again a day or more later.
  if (lost.length > 3) await post(stage, ...lost.splice(0, 3));
}

/** Five past four of the day after: everything of the day before is due. */
export function atNight({ clock }: SealStage, dayStart: number): void {
  clock.advance(Math.max(0, dayStart + DAY_MS + 4 * HOUR_MS + 5 * MINUTE_MS - clock.now()));
}

const BOOKED = `with booked as (
  select t.*, coalesce(late.booked_on, home_day(t.created_at)) as day from ledger_transfer t left join late_request late using (id)
), asked as (
  select r.*, coalesce(late.booked_on, home_day(r.created_at)) as booked from request_log r left join late_request late using (id)
  where r.state <> 'running'
)`;
/** Attempts of a row of `asked` that cost something and were not sold. */
const UNSOLD = `select attempt ->> 0 as provider, (attempt ->> 9)::numeric * 1000000 as cost
  from jsonb_array_elements(asked.detail::jsonb -> 'attempts') as attempt where attempt ->> 9 is not null`;
const book = (column: string) => `case when ${column} like 'wallet:%' then 'wallets' else ${column} end`;
const TO_SEAL = '(select sealed_to from ledger_clock)';

/** Every sum that seals keep, beside the same made anew from the first row: rows that stand in only one of them. */
export async function differences(db: Database): Promise<object[]> {
  const compared: Record<string, [string, string]> = {
    day: [
      'select day, debit, credit, kind, transfers, amount from ledger_day',
      `${BOOKED} select day, ${book('debit')}, ${book('credit')}, kind, count(*), sum(amount) from booked where day <= ${TO_SEAL} group by 1, 2, 3, 4`,
    ],
    balance: [
      'select id, day, posted, charged from ledger_balance',
      `${BOOKED}, leg as (
         select day, debit as id, -amount as amount, case when kind = 'charge' then amount else 0 end as charged from booked
         union all select day, credit, amount, 0 from booked)
       select id, day, sum(sum(amount)) over past, sum(sum(charged)) over past from leg where day <= ${TO_SEAL} group by id, day
       window past as (partition by id order by day)`,
    ],
    money: [
      `select day, account_id, model, provider, requests, failed, refused, interrupted, input_tokens, output_tokens, cached_tokens,
         revenue, cost, cost_unknown_requests, revenue_unknown_cost from money_day where requests + refused > 0`,
      `${BOOKED} select booked, account_id, model, coalesce(provider, ''), count(*) filter (where state <> 'refused'),
         count(*) filter (where state = 'failed'), count(*) filter (where state = 'refused'),
         count(*) filter (where state in ('interrupted', 'client_closed')), sum(input_tokens), sum(output_tokens),
         coalesce(sum((substring(detail from '"cacheRead":(\\d+)'))::bigint), 0), sum(cost), coalesce(sum(provider_cost), 0),
         count(*) filter (where provider is not null and provider_cost is null and state <> 'failed'
           and (cost > 0 or not exists (select from (${UNSOLD}) as unsold where unsold.provider = asked.provider))),
         coalesce(sum(cost) filter (where provider is not null and provider_cost is null), 0)
       from asked where booked <= ${TO_SEAL} group by 1, 2, 3, 4`,
    ],
    refunded: [
      'select day, sum(refunded) from money_day group by 1 having sum(refunded) > 0',
      `${BOOKED} select day, sum(amount) from booked where kind = 'refund' and day <= ${TO_SEAL} group by 1`,
    ],
    waste: [
      'select day, provider, sum(waste) from money_day group by 1, 2 having sum(waste) > 0',
      `${BOOKED} select booked, unsold.provider, sum(unsold.cost) from asked cross join lateral (${UNSOLD}) as unsold
       where booked <= ${TO_SEAL} group by 1, 2 having sum(unsold.cost) > 0`,
    ],
    'waste booked': [
      `select id, debit, credit, amount from ledger_transfer where kind = 'waste'`,
      `select 'waste:' || day || ':' || provider, 'costs', 'provider:' || provider, sum(waste) from money_day group by day, provider having sum(waste) > 0`,
    ],
    sealed: [
      'select day, transfers, amount from ledger_seal where transfers > 0',
      `${BOOKED} select day, count(*), sum(amount) from booked where day <= ${TO_SEAL} group by 1`,
    ],
  };
  const found: object[] = [];
  for (const [what, [kept, made]] of Object.entries(compared)) {
    const either = `select '${what}' as what, one::text as row from ((${kept}) except all (${made})) as one
      union all select '${what}, made anew', one::text from ((${made}) except all (${kept})) as one`;
    found.push(...(await db.query(either)));
  }
  return found;
}
