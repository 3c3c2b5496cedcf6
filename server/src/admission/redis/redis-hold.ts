/** A hold and the counters it was taken from, so that settling needs no look-up and cannot happen twice. */
import type { Money } from '../../core/money.ts';
import type { Hold } from '../admission.ts';
import type { LeasedShare } from './leased-share.ts';
import type { ChangeOutbox } from './outbox.ts';
import type { OwnBudget, OwnWindow } from './own-counts.ts';

export class RedisHold implements Hold {
  readonly requestId: string;
  readonly amount: Money;
  readonly budgets: string[] = [];
  readonly #ownBudgets: OwnBudget[] = [];
  readonly #tokens: { window: OwnWindow; second: number; amount: number }[] = [];
  /** Set when it was granted from what this replica had leased. */
  readonly #granted: { share: LeasedShare; hold: Hold } | undefined;
  readonly #outbox: ChangeOutbox;
  #settled = false;

  constructor(requestId: string, amount: Money, outbox: ChangeOutbox, granted?: { share: LeasedShare; hold: Hold }) {
    this.requestId = requestId;
    this.amount = amount;
    this.#outbox = outbox;
    this.#granted = granted;
  }

  addBudget(budget: OwnBudget): void {
    budget.outstanding.hold(this.amount);
    this.budgets.push(budget.id);
    this.#ownBudgets.push(budget);
  }

  addWindow(window: OwnWindow, amount: number, nowMs: number, isTokens: boolean): void {
    const second = (this.#granted === undefined ? window.shared : window.local).add(amount, nowMs);
    if (isTokens) this.#tokens.push({ window, second, amount });
  }

  settle(spent: Money, tokens: number | undefined): void {
    if (this.#settled) return;
    this.#settled = true;
    const outbox = this.#outbox;
    this.#granted?.share.settle(this.#granted.hold, spent, tokens);
    for (const { id, outstanding } of this.#ownBudgets) {
      const before = outstanding.total;
      outstanding.settle(this.amount, spent);
      outbox.hold(id, outstanding.total - before);
    }
    if (tokens === undefined) return;
    for (const { window, second, amount } of this.#tokens) {
      const delta = tokens - amount;
      // Redis has not heard of this admission: the registration will carry the corrected amount.
      if (window.local.correct(second, delta)) continue;
      window.shared.correct(second, delta);
      outbox.correct({ window: window.id, second, delta });
    }
  }
}
