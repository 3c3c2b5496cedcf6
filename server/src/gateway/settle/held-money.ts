/** What one request holds of its budgets: the hold of its admission, and what it added while it ran. */
import type { Admission, BudgetCheck, Hold, ReservedMoney } from '../../admission/index.ts';
import { type Money, money, toTomanText, ZERO } from '../../core/money.ts';
import type { Log } from '../../platform/log.ts';

const NOTHING_USED = { spent: ZERO, tokens: undefined };

export interface HeldMoneyOptions {
  requestId: string;
  /** The hold of the admission. */
  first: Hold;
  /** Budgets from which more can be held; the wallet is the last. */
  budgets: readonly BudgetCheck[];
  admission: Admission;
  log: Log;
}

export class HeldMoney {
  /** The sum of all holds of this request. */
  amount: Money;
  /** The budgets of the first hold, by name: what is held of them is released when the charge is posted. */
  readonly budgets: string[];
  readonly #options: HeldMoneyOptions;
  #added: Hold[] | undefined;
  #ended = false;

  constructor(options: HeldMoneyOptions) {
    this.#options = options;
    this.amount = options.first.amount;
    this.budgets = options.first.budgets;
  }

  /** Holds more of every budget, between `least` and `want`; returns what was granted. */
  async add(amount: ReservedMoney, budgets: readonly BudgetCheck[] = this.#options.budgets): Promise<Money> {
    const { admission, requestId } = this.#options;
    const result = await admission.reserve({ requestId, checks: [...budgets], money: amount });
    if (!result.ok) return ZERO;
    const { hold } = result;
    // The request ended while more was being held.
    if (this.#ended) {
      admission.settle(hold, NOTHING_USED);
      return ZERO;
    }
    this.#added ??= [];
    this.#added.push(hold);
    this.amount = money(this.amount + hold.amount);
    return hold.amount;
  }

  /** Takes over money that was held for it before it began. */
  takeOver(holds: readonly Hold[]): void {
    if (holds.length === 0) return;
    this.#added ??= [];
    this.#added.push(...holds);
    for (const { amount } of holds) this.amount = money(this.amount + amount);
  }

  /**
   * An answer that cost more than its hold (a provider counts what nobody could see) is charged as far as the wallet
   * reaches: a wallet never falls below zero, and the operator bears the rest.
   */
  async asFarAsPaid(cost: Money): Promise<Money> {
    const { budgets, log, requestId } = this.#options;
    const wallet = budgets.at(-1);
    if (cost <= this.amount || !wallet) return cost;
    try {
      await this.add({ want: money(cost - this.amount), least: ZERO }, [{ ...wallet, limit: ZERO }]);
    } catch (error) {
      log.warn({ requestId, err: error }, 'a charge above its hold could not be checked');
      return this.amount;
    }
    if (this.amount >= cost) return cost;
    const missing = toTomanText(money(cost - this.amount));
    log.warn({ requestId, missing }, 'the wallet could not pay all of an answer');
    return this.amount;
  }

  /** From here on nothing is added, because the charge has been decided. */
  end(): void {
    this.#ended = true;
  }

  /** Gives everything back but what was spent. */
  settle(spent: Money, tokens: number): void {
    const { admission, first } = this.#options;
    this.#ended = true;
    admission.settle(first, { spent, tokens });
    for (const hold of this.#added ?? []) admission.settle(hold, NOTHING_USED);
  }
}
