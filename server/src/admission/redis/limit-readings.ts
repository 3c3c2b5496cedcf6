/**
 * Reads the state of windows and budgets: from Redis, or from this replica's own share and the ledger while Redis is
 * unreachable.
 */
import { money } from '../../core/money.ts';
import type * as port from '../admission.ts';
import type { PostedLoader } from '../posted-loader.ts';
import type { LeasedShare } from './leased-share.ts';
import type { OwnCounts } from './own-counts.ts';
import type { ReplicaMembership } from './replica-membership.ts';
import { windowState } from './reserve-results.ts';
import type { ScriptCalls } from './script-calls.ts';

/** A budget that Redis does not know is loaded from the ledger and asked for again. */
const MAX_TRIES = 6;

export interface LimitReadingsOptions {
  calls: ScriptCalls;
  membership: ReplicaMembership;
  loader: PostedLoader;
  own: OwnCounts;
  /** A new one after every time that Redis was away. */
  share: () => LeasedShare;
  /** Resolves when the first connection is made or given up. */
  started: () => Promise<void> | undefined;
}

export class LimitReadings {
  readonly #options: LimitReadingsOptions;

  constructor(options: LimitReadingsOptions) {
    this.#options = options;
  }

  async windows(checks: port.WindowCheck[]): Promise<Map<string, port.WindowState>> {
    const { calls, membership, share } = this.#options;
    const readings = await this.#read(() => calls.readWindows(checks));
    const nowMs = membership.now();
    return new Map(
      checks.map((check, i) => {
        const reading = readings?.[i];
        const state = reading ? windowState(check, reading.used, reading.resetMs) : share().windowState(check, nowMs);
        return [check.id, state];
      }),
    );
  }

  async budgets(checks: port.BudgetCheck[]): Promise<Map<string, port.BudgetState>> {
    const { calls, loader } = this.#options;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const readings = await this.#read(() => calls.readBudgets(checks));
      if (readings === undefined) return this.#ownBudgets(checks);
      const missing = checks.filter((_, i) => readings[i] === undefined);
      if (missing.length === 0) {
        return new Map(
          checks.map(({ id, limit }, i) => {
            const { posted = 0n, held = 0n } = readings[i] ?? {};
            return [id, { limit, posted: money(posted), held: money(held) }];
          }),
        );
      }
      await loader.load(missing.map((check) => check.id));
    }
    return new Map();
  }

  /** Returns undefined while Redis is unreachable. */
  async #read<T>(ask: () => Promise<T>): Promise<T | undefined> {
    const { membership, started } = this.#options;
    await started();
    if (!membership.shared) return undefined;
    const { incarnation } = membership;
    return ask().catch((error: unknown) => {
      membership.lost(incarnation, error);
      return undefined;
    });
  }

  async #ownBudgets(checks: port.BudgetCheck[]): Promise<Map<string, port.BudgetState>> {
    const { loader, own } = this.#options;
    const rows = await loader.peek(checks.map((check) => check.id));
    return new Map(
      checks.map(({ id, limit }) => {
        const held = money(own.knownBudget(id)?.outstanding.total ?? 0n);
        return [id, { limit, posted: money(rows.get(id)?.posted ?? 0n), held }];
      }),
    );
  }
}
