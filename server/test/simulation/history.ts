/**
 * One random history of a gateway's money: requests are admitted, alone and in storms, answered, cut and refused; holds of
 * answers without a limit grow while they run; wallets are topped up, charges refunded, prices changed; turns end, batches
 * are posted, answers get lost, and the process is killed between any two steps.
 *
 * After every step, for every budget:
 *     posted in the books + all that is owed and not yet in the books ≤ its limit
 * so no wallet falls below zero and no cap is passed, whatever happens; and admission holds what is owed, no less and no more.
 * At the end every answered request is charged once, by the price of its admission, and nothing is held.
 */
import { type Admission, type BudgetCheck, createMemoryAdmission, type Hold } from '../../src/admission/index.ts';
import { money } from '../../src/core/money.ts';
import { costOf, type Price } from '../../src/core/price.ts';
import type { Usage } from '../../src/core/usage.ts';
import { chargeOf, decideOutcome, type Ending, limitCharge } from '../../src/ledger/index.ts';
import type { StartRecord } from '../../src/requestlog/index.ts';
import { record, START, startRecord, type TestClock, testClock } from '../ledger/request-fixture.ts';
import type { Bank } from './bank.ts';
import type { Chance } from './seeded.ts';

const ACCOUNTS = ['a', 'b'];
const KEYS = ['k1', 'k2', 'k3'];
const CAP_LIMIT = 60_000n;
/** The most a request may use; its hold is the cost of this. */
const MAX: Usage = { buckets: { inputFresh: 100, output: 40 }, source: 'estimated' };
/** What an answer without a limit holds at first, at least and usually, and by how much the hold grows. */
const SHORT: Usage = { buckets: { inputFresh: 100, output: 2 }, source: 'estimated' };
const USUAL: Usage = { buckets: { inputFresh: 100, output: 10 }, source: 'estimated' };
const STEP_TOKENS = 16;
const MAX_AT_ONCE = 10;

function limitChecksOf(accountId: string, keyId: string): BudgetCheck[] {
  const cap = (id: string): BudgetCheck => ({
    kind: 'budget',
    name: 'cap',
    id,
    home: accountId,
    limit: money(CAP_LIMIT),
  });
  return [
    cap(`cap:key:${keyId}:daily:2026-11-15`),
    cap(`cap:account:${accountId}:total:all`),
    { kind: 'budget', name: 'wallet', id: `wallet:${accountId}`, home: accountId, limit: money(0n) },
  ];
}

const ALL_CHECKS = [
  ...new Map(
    ACCOUNTS.flatMap((account) => KEYS.flatMap((key) => limitChecksOf(account, key))).map((check) => [check.id, check]),
  ).values(),
];

interface Live {
  startRecord: StartRecord;
  hold: Hold;
  checks: BudgetCheck[];
  /** What was taken after the first hold. */
  added: Hold[];
  /** Without a limit of its own: it says what it likes, as long as more can be held. */
  open: boolean;
  price: Price;
  /** The start record was written, so that the provider may be asked. */
  written: boolean;
}

/** Answered: the closing stands in the present turn or on disk. */
interface Answered {
  id: string;
  hold: Hold;
  added: Hold[];
  cost: bigint;
  written: boolean;
  settled: boolean;
  released: boolean;
}

export class History {
  readonly #bank: Bank;
  readonly #chance: Chance;
  readonly #clock: TestClock = testClock();
  #admission: Admission;
  #price: Price = { version: 'v1', perUnit: { inputFresh: 3n, output: 10n }, perRequest: 0n };
  #serial = 0;
  #live: Live[] = [];
  #answered: Answered[] = [];
  /** What must be in the books at the end: the cost of every answer that was written, nothing for the killed. */
  readonly #due = new Map<string, bigint>();
  #reports: (() => void)[] = [];

  constructor(bank: Bank, chance: Chance) {
    this.#bank = bank;
    this.#chance = chance;
    this.#admission = this.#newAdmission();
  }

  async run(steps: number): Promise<void> {
    for (const account of ACCOUNTS) await this.#topUp(account, 20_000n);
    for (let step = 0; step < steps; step++) {
      await this.#step();
      await this.#check();
    }
    await this.#finish();
  }

  async #step(): Promise<void> {
    this.#clock.advance(this.#chance.below(3_000));
    const roll = this.#chance.below(100);
    if (roll < 18) return this.#admit();
    if (roll < 22) return this.#storm();
    if (roll < 30) return this.#grow();
    if (roll < 52) return this.#answer();
    if (roll < 68) return this.#endTurn();
    if (roll < 76) return this.#settleOne();
    if (roll < 86) return this.#post();
    if (roll < 90) return this.#topUp(this.#chance.pick(ACCOUNTS), BigInt(1 + this.#chance.below(9_000)));
    if (roll < 93) return this.#refund();
    if (roll < 95) return this.#changePrice();
    if (roll < 97) return this.#deliverReports();
    return this.#crash();
  }

  #newAdmission(): Admission {
    return createMemoryAdmission({ clock: this.#clock, loadPosted: (budgets) => this.#bank.loadPosted(budgets) });
  }

  async #admit(): Promise<void> {
    const accountId = this.#chance.pick(ACCOUNTS);
    const keyId = this.#chance.pick(KEYS);
    const id = `req_${++this.#serial}`;
    const price = this.#price;
    const isOpen = this.#chance.happens(40);
    const want = costOf(price, MAX);
    const money = isOpen ? { want, usual: costOf(price, USUAL), least: costOf(price, SHORT) } : { want, least: want };
    const checks = limitChecksOf(accountId, keyId);
    const result = await this.#admission.reserve({ requestId: id, checks, money });
    if (!result.ok) return;
    const { hold } = result;
    const open = startRecord(id, {
      accountId,
      keyId,
      held: hold.amount,
      priceVersion: this.#price.version,
      createdAt: START,
    });
    open.budgets = hold.budgets;
    this.#bank.open(open);
    this.#live.push({ startRecord: open, hold, checks, added: [], open: isOpen, price, written: false });
  }

  /** Many at once, which all see the same money. */
  async #storm(): Promise<void> {
    const together = 2 + this.#chance.below(MAX_AT_ONCE);
    await Promise.all(Array.from({ length: together }, () => this.#admit()));
    for (let i = 0; i < together; i++) await this.#grow();
  }

  async #grow(): Promise<void> {
    const growing = this.#live.filter((live) => live.open);
    if (growing.length === 0) return;
    const { startRecord: open, checks, added, price } = this.#chance.pick(growing);
    const perToken = price.perUnit.output ?? 0n;
    const amount = { want: money(perToken * BigInt(STEP_TOKENS)), least: money(perToken) };
    const result = await this.#admission.reserve({ requestId: open.id, checks, money: amount });
    if (result.ok) added.push(result.hold);
  }

  async #answer(): Promise<void> {
    const ready = this.#live.filter((live) => live.written);
    if (ready.length === 0) return;
    const live = this.#chance.pick(ready);
    this.#live = this.#live.filter((other) => other !== live);
    const ended = this.#chance.pick<Ending>([
      { by: 'finish' },
      { by: 'finish' },
      { by: 'client' },
      { by: 'upstream' },
      { by: 'upstream' },
      { by: 'us' },
    ]);
    const generated = this.#chance.happens(80);
    const used: Usage = {
      // A provider may count more than was held for.
      buckets: { inputFresh: this.#chance.below(101), output: this.#chance.below(live.open ? 200 : 41) },
      source: 'upstream',
    };
    const outcome = decideOutcome({
      ended,
      handedOver: false,
      finishSeen: ended.by === 'finish',
      generated,
      delivered: generated && this.#chance.happens(90),
      reported: this.#chance.happens(70) ? used : undefined,
      counted: () => ({ ...used, source: 'estimated' }),
      chargeInterrupted: this.#chance.happens(80),
    });
    const { startRecord: open, hold, added } = live;
    const { cost, formula } = limitCharge(chargeOf(outcome, live.price), money(heldBy(live)));
    const counters = hold.budgets.filter((budget) => budget.startsWith('cap:'));
    this.#bank.close(record(open.id, { ...open, state: outcome.state, usage: outcome.usage, cost, formula, counters }));
    this.#answered.push({ id: open.id, hold, added, cost, written: false, settled: false, released: false });
  }

  async #endTurn(): Promise<void> {
    await this.#bank.endTurn();
    for (const live of this.#live) live.written = true;
    for (const answered of this.#answered) {
      answered.written = true;
      this.#due.set(answered.id, answered.cost);
    }
  }

  async #settleOne(): Promise<void> {
    const answered = this.#answered.find((each) => each.written && !each.settled);
    if (!answered) return;
    this.#admission.settle(answered.hold, { spent: money(answered.cost), tokens: undefined });
    for (const hold of answered.added) this.#admission.settle(hold, { spent: money(0n), tokens: undefined });
    answered.settled = true;
  }

  async #post(): Promise<void> {
    const posted = await this.#bank.post(
      this.#chance.pick(['done', 'done', 'done', 'answer-lost', 'unreachable'] as const),
    );
    if (!posted) return;
    this.#admission.posted(posted.updates);
    const ids = new Set(posted.ids);
    for (const answered of this.#answered) if (ids.has(answered.id)) answered.released = true;
  }

  async #topUp(accountId: string, amount: bigint): Promise<void> {
    const entry = { id: `t${++this.#serial}`, kind: 'top-up' as const, accountId, amount: money(amount) };
    await this.#bank.transfer(entry);
    // A repeated call must change nothing.
    const view = await this.#bank.transfer(entry);
    this.#report(() => this.#tell(`wallet:${accountId}`, -view.posted, view.version));
  }

  async #refund(): Promise<void> {
    const charged = [...this.#due].filter(([, cost]) => cost > 0n);
    if (charged.length === 0) return;
    const [requestId, cost] = this.#chance.pick(charged);
    const booked = await this.#bank.booked(requestId);
    const id = `refund-${requestId}`;
    if (!booked) return;
    const owner = (booked as { accountId?: string }).accountId;
    if (owner === undefined) return;
    await this.#bank.transfer({ id, kind: 'refund', accountId: owner, amount: money(cost), requestId });
  }

  #changePrice(): void {
    const next = Number(this.#price.version.slice(1)) + 1;
    const output = BigInt(5 + this.#chance.below(20));
    this.#price = {
      version: `v${next}`,
      perUnit: { inputFresh: 3n, output },
      perRequest: BigInt(this.#chance.below(3) * 100),
    };
  }

  /** News of a top-up may come late, and after newer news. */
  #report(tell: () => void): void {
    if (this.#chance.happens(50)) tell();
    else this.#reports.push(tell);
  }

  #deliverReports(): void {
    for (const tell of this.#reports.splice(0).reverse()) tell();
  }

  #tell(budget: string, posted: bigint, version: bigint): void {
    this.#admission.posted([{ budget, posted: money(posted), version, release: money(0n) }]);
  }

  async #crash(): Promise<void> {
    await this.#bank.crash((bytes) => this.#chance.below(bytes + 1));
    // Closings of the present turn were never acknowledged: some reached the disk, the others are interrupted requests.
    for (const answered of this.#answered) {
      if (answered.written) continue;
      const booked = await this.#bank.booked(answered.id);
      this.#due.set(answered.id, booked?.cost ?? 0n);
      if (booked && booked.cost !== answered.cost && booked.cost !== 0n)
        throw new Error(`${answered.id}: half a charge`);
    }
    for (const { startRecord: open, written } of this.#live) {
      const booked = await this.#bank.booked(open.id);
      if (written && (booked?.state !== 'interrupted' || booked.cost !== 0n))
        throw new Error(`${open.id} was not recovered`);
      this.#due.set(open.id, 0n);
    }
    this.#live = [];
    this.#answered = [];
    this.#reports = [];
    this.#admission = this.#newAdmission();
  }

  async #check(): Promise<void> {
    await this.#bank.prove();
    const owed = new Map<string, bigint>();
    const held = new Map<string, bigint>();
    /** Posted before admission heard of the answer: it then holds more for a moment, never less. */
    const early = new Set<string>();
    const add = (to: Map<string, bigint>, hold: Hold, amount: bigint) => {
      for (const budget of hold.budgets) to.set(budget, (to.get(budget) ?? 0n) + amount);
    };
    for (const live of this.#live) {
      add(owed, live.hold, heldBy(live));
      add(held, live.hold, heldBy(live));
    }
    for (const answered of this.#answered) {
      if (!(await this.#bank.booked(answered.id))) add(owed, answered.hold, answered.cost);
      const now = (answered.settled ? answered.cost : heldBy(answered)) - (answered.released ? answered.cost : 0n);
      add(held, answered.hold, now);
      if (answered.released && !answered.settled) for (const budget of answered.hold.budgets) early.add(budget);
    }
    const checks = ALL_CHECKS;
    const states = await this.#admission.budgets(checks);
    const posted = await this.#bank.loadPosted(checks.map((check) => check.id));
    for (const { id, limit } of checks) {
      const total = (posted.get(id)?.posted ?? 0n) + (owed.get(id) ?? 0n);
      if (total > limit) throw new Error(`${id}: ${total} is beyond its limit ${limit}`);
      const now = states.get(id)?.held ?? -1n;
      const exact = held.get(id) ?? 0n;
      if (early.has(id) ? now < exact : now !== exact) throw new Error(`${id}: holds ${now}, owes ${exact}`);
    }
  }

  async #finish(): Promise<void> {
    while (this.#live.length > 0) {
      await this.#endTurn();
      await this.#answer();
    }
    await this.#endTurn();
    for (const answered of this.#answered) await (answered.settled || this.#settleOne());
    while (this.#answered.some((answered) => !answered.released)) await this.#post();
    await this.#check();
    for (const [id, cost] of this.#due) {
      const booked = await this.#bank.booked(id);
      if ((booked?.cost ?? 0n) !== cost) throw new Error(`${id}: charged ${booked?.cost ?? 0n} instead of ${cost}`);
    }
    for (const [id, { held }] of await this.#admission.budgets(ALL_CHECKS)) {
      if (held !== 0n) throw new Error(`${id} still holds ${held} when nothing runs`);
    }
  }
}

function heldBy({ hold, added }: Pick<Live, 'hold' | 'added'>): bigint {
  return added.reduce((sum, { amount }) => sum + amount, hold.amount as bigint);
}
