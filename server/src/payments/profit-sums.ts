/**
 * What was sold and what it cost, grouped by any key: sums of sealed days, which outlive the request log, and the rows
 * of days that are still open. Those rows are summed once a minute at most.
 */

import type { Clock } from '../core/clock.ts';
import type { Database } from '../platform/db/index.ts';
import type { Sums } from './profit-rows.ts';
import { OPEN_SUMS, readSums, SEALED_TO } from './profit-rows.ts';

export const NO_SUMS: Sums = {
  requests: 0n,
  revenue: 0n,
  refunded: 0n,
  cost: 0n,
  unknownRequests: 0n,
  unknownRevenue: 0n,
  waste: 0n,
};

export function addSums(a: Sums, b: Sums): Sums {
  return {
    requests: a.requests + b.requests,
    revenue: a.revenue + b.revenue,
    refunded: a.refunded + b.refunded,
    cost: a.cost + b.cost,
    unknownRequests: a.unknownRequests + b.unknownRequests,
    unknownRevenue: a.unknownRevenue + b.unknownRevenue,
    waste: a.waste + b.waste,
  };
}

export interface OpenRow {
  day: string;
  /** Either an account, or a model and a provider. */
  accountId: string | null;
  model: string | null;
  provider: string | null;
  sums: Sums;
}

export interface OpenSums {
  /** The days after this one are read from rows. */
  sealedTo: string;
  rows: OpenRow[];
}

const KNOWN_FOR_MS = 60_000;
const NEVER = '-infinity';

export class OpenDays {
  readonly #db: Database;
  readonly #clock: Clock;
  #known: { until: number; sums: Promise<OpenSums> } | undefined;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  read(): Promise<OpenSums> {
    const now = this.#clock.monotonicMs();
    if (this.#known !== undefined && now < this.#known.until) return this.#known.sums;
    const sums = readOpen(this.#db);
    this.#known = { until: now + KNOWN_FOR_MS, sums };
    // After a failure the next caller reads again.
    sums.catch(() => {
      this.#known = undefined;
    });
    return sums;
  }
}

function readOpen(db: Database): Promise<OpenSums> {
  return db.report(
    async (tx) => {
      const clock = await SEALED_TO.first(tx);
      const rows = await OPEN_SUMS.rows(tx);
      return {
        sealedTo: clock?.to ?? NEVER,
        rows: rows.map((row) => ({
          day: row.day,
          accountId: row.accountId,
          model: row.model,
          provider: row.provider,
          sums: readSums(row),
        })),
      };
    },
    { for: 'list', snapshot: true },
  );
}
