/**
 * Tells staff of what is no outage but must not wait until they look: missing replicas that keep money from being
 * spent, play money in wallets, invoices that the tax office expects. Every replica looks; each of these is told once a
 * day, whichever replica sees it first.
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
import { takeWatchTurn, writeMemory } from './watch/memory.ts';
import { PLAY_MONEY } from './watch/watch-rows.ts';

/** The state of this replica. */
export interface StaffFacts {
  /** Dead replicas, and since when they are missing, as far as this one knows. */
  missingReplicas(): { id: string; since: number }[];
  /** How much money each of them keeps from being spent. Reads every budget. */
  heldByMissing(): Promise<{ id: string; outstanding: Money; wallets: number }[]>;
  /** Invoices that were not sent to the tax office, and the last day for the oldest: `2026-11-17`. */
  invoicesToSend(): Promise<{ count: number; until: string | null }>;
}

export interface StaffWatchOptions {
  db: Database;
  clock: Clock;
  notices: Notices;
  facts: StaffFacts;
}

const MISSING_MS = 60_000;
const SEND_SOON_MS = 2 * DAY_MS;
const DAY_LETTERS = 10;
/** Longer than any of these jobs takes. */
const TURN_MS = 30 * 60_000;
/** A turn without an end is not taken again that day. */
const DONE = {};

export class StaffWatch {
  readonly #options: StaffWatchOptions;

  constructor(options: StaffWatchOptions) {
    this.#options = options;
  }

  async look(): Promise<void> {
    await this.#replicas();
    const turn = `play-money:${this.#day()}`;
    if (!(await this.#takeTurn(turn))) return;
    await this.#playMoney();
    await this.#invoices();
    await writeMemory(this.#options.db, '', turn, DONE);
  }

  /** A replica that starts again within a minute is not reported. */
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

  /** Finds wallets that were filled while nothing had a cost, and can now buy what has one. */
  async #playMoney(): Promise<void> {
    const { db, clock } = this.#options;
    if (!(await sellsSomething(db, new Date(clock.now())))) return;
    const found = await PLAY_MONEY.first(db);
    if (!found || found.amount === null) return;
    const data = { accounts: Number(found.accounts), amount: toTomanText(money(BigInt(found.amount))) };
    await this.#tell('payment.play_money', 'play-money', data, '/operator/payments?state=credited');
  }

  /** Tells two days before the oldest is due, and every day from then on. */
  async #invoices(): Promise<void> {
    const { clock, facts } = this.#options;
    const { count, until } = await facts.invoicesToSend();
    if (count === 0 || until === null || homeDay(clock.now() + SEND_SOON_MS) < until) return;
    await this.#tell('invoices.unsent', 'invoices', { count, until }, '/operator/books/invoices?tax_state=to-send');
  }

  /** Some checks read many rows, so one replica makes them, once a day. */
  #takeTurn(turn: string): Promise<boolean> {
    const { db, clock } = this.#options;
    return takeWatchTurn(db, turn, clock.now(), TURN_MS);
  }

  async #tell(event: EventName, subject: string, data: JsonObject, link: string): Promise<void> {
    const occasion = `${subject}:${this.#day()}`;
    await this.#options.notices.raise({ accountId: '', event, occasion, data, link });
  }

  #day(): string {
    return new Date(this.#options.clock.now()).toISOString().slice(0, DAY_LETTERS);
  }
}
