/**
 * What staff must hear of without looking: credentials that are refused, routes that do not answer, a journal that grows,
 * replicas that are missing and keep money from being spent, books that do not prove or are not proven, invoices that the tax office waits for. Every replica looks at itself; each of these things is told once a day, whoever sees it first.
 */
import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import type { JsonObject } from '../core/json.ts';
import { type Money, money, toTomanText, ZERO } from '../core/money.ts';
import { homeDay } from '../ledger/index.ts';
import { sellsSomething } from '../payments/index.ts';
import type { Database } from '../platform/db/index.ts';
import type { EventName } from './events.ts';
import type { Notices } from './notices.ts';
import { writeMemory } from './watch/memory.ts';

/** The state of this replica. */
export interface StaffFacts {
  routes(): { target: string; provider: string; state: string; cause: string | undefined }[];
  /** Closed requests that wait for the database, and the room they take. */
  journal(): { depth: number; bytes: number };
  /** The journal is full when either bound is reached. */
  journalMax: { records: number; bytes: number };
  /** Dead replicas, and since when, as far as this one knows. */
  missingReplicas(): { id: string; since: number }[];
  /** What each of them keeps from being spent. Reads every budget. */
  heldByMissing(): Promise<{ id: string; outstanding: Money; wallets: number }[]>;
  /** What proofs that ended say; nothing is proven by asking. */
  books(): Promise<{
    verdict: string;
    provedAt: Date | null;
    reason: string | null;
    failing: { check: string; name: string; detail: string; run: string }[];
  }>;
  /** Invoices that were not sent to the tax office, and the last day for the oldest: `2026-11-17`. */
  invoicesToSend(): Promise<{ count: number; until: string | null }>;
}

export interface StaffWatchOptions {
  db: Database;
  clock: Clock;
  notices: Notices;
  facts: StaffFacts;
}

/** Part of the journal's bound at which it is news; posting empties it within a second when all is well. */
const GROWING = 0.05;
const MISSING_MS = 60_000;
const SEND_SOON_MS = 2 * DAY_MS;
const DAY_LETTERS = 10;
/** Longer than any of these takes. */
const TURN_MS = 30 * 60_000;
/** A turn without an end time is not taken again that day. */
const DONE = {};

export class StaffWatch {
  readonly #options: StaffWatchOptions;

  constructor(options: StaffWatchOptions) {
    this.#options = options;
  }

  async look(): Promise<void> {
    await this.#routes();
    await this.#journal();
    await this.#replicas();
    await this.#books();
    const turn = `play-money:${this.#day()}`;
    if (!(await this.#takeTurn(turn))) return;
    await this.#playMoney();
    await this.#invoices();
    await writeMemory(this.#options.db, '', turn, DONE);
  }

  /**
   * Some things read many rows, so one replica does them, once a day. A turn that does not end, because it failed or its process
   * died, is over after a while, and whoever looks next takes another.
   */
  async #takeTurn(turn: string): Promise<boolean> {
    const { db, clock } = this.#options;
    const taken = await db.query(
      `insert into alert_memory (account_id, subject, value) values ('', $1, $2)
       on conflict (account_id, subject) do update set value = excluded.value
       where (alert_memory.value ->> 'until')::bigint <= $3 returning subject`,
      [turn, { until: clock.now() + TURN_MS }, clock.now()],
    );
    return taken.length > 0;
  }

  async #routes(): Promise<void> {
    for (const { target, provider, state, cause } of this.#options.facts.routes()) {
      if (state !== 'open') continue;
      if (cause === 'credential')
        await this.#tell('provider.credential_dead', provider, { provider, target }, '/operator/providers');
      else await this.#tell('provider.breaker_open', target, { target, cause: cause ?? null }, '/operator/providers');
    }
  }

  async #journal(): Promise<void> {
    const { journal, journalMax } = this.#options.facts;
    const { depth, bytes } = journal();
    if (depth > journalMax.records * GROWING || bytes > journalMax.bytes * GROWING)
      await this.#tell('journal.growing', 'journal', { depth, most: journalMax.records }, '/operator/system');
  }

  /** One that starts again within a minute is no news. */
  async #replicas(): Promise<void> {
    const { clock, facts } = this.#options;
    const missing = facts.missingReplicas().filter(({ since }) => since + MISSING_MS <= clock.now());
    const turns: string[] = [];
    for (const { id } of missing) {
      const turn = `replica:${id}:${this.#day()}`;
      if (await this.#takeTurn(turn)) turns.push(turn);
    }
    if (turns.length === 0) return;
    for (const { id, outstanding, wallets } of await facts.heldByMissing()) {
      const data = { replica: id, amount: toTomanText(outstanding), wallets };
      if (outstanding > ZERO) await this.#tell('replica.missing', id, data, '/operator/system');
    }
    for (const turn of turns) await writeMemory(this.#options.db, '', turn, DONE);
  }

  async #books(): Promise<void> {
    const { verdict, failing, provedAt, reason } = await this.#options.facts.books();
    for (const { check, name, run } of failing)
      await this.#tell('books.unproved', check, { check: name, id: check }, `/operator/ledger/proofs?run=${run}`);
    if (verdict !== 'unproven') return;
    const data = { since: provedAt?.toISOString() ?? null, reason };
    await this.#tell('books.unfinished', 'proof', data, '/operator/ledger/proofs');
  }

  /** Wallets that were filled while nothing cost anything, and can now buy what does. */
  async #playMoney(): Promise<void> {
    const { db, clock } = this.#options;
    if (!(await sellsSomething(db, new Date(clock.now())))) return;
    const [found] = await db.query<{ accounts: bigint; amount: string | null }>(
      `select count(distinct account_id) as accounts, sum(amount)::text as amount from payment_order
       where gateway = 'sandbox' and state = 'credited'`,
    );
    if (!found || found.amount === null) return;
    const data = { accounts: Number(found.accounts), amount: toTomanText(money(BigInt(found.amount))) };
    await this.#tell('payment.play_money', 'play-money', data, '/operator/payments?state=credited');
  }

  /** Two days before the time of the oldest is over, and every day from then on. */
  async #invoices(): Promise<void> {
    const { clock, facts } = this.#options;
    const { count, until } = await facts.invoicesToSend();
    if (count === 0 || until === null || homeDay(clock.now() + SEND_SOON_MS) < until) return;
    await this.#tell('invoices.unsent', 'invoices', { count, until }, '/operator/books/invoices?tax_state=to-send');
  }

  async #tell(event: EventName, subject: string, data: JsonObject, link: string): Promise<void> {
    const occasion = `${subject}:${this.#day()}`;
    await this.#options.notices.raise({ accountId: '', event, occasion, data, link });
  }

  #day(): string {
    return new Date(this.#options.clock.now()).toISOString().slice(0, DAY_LETTERS);
  }
}
