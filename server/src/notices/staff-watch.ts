/**
 * What staff must hear of without looking: credentials that are refused, routes that do not answer, a journal that grows, books
 * that do not prove. Every replica looks at itself; each thing is told once a day, whoever sees it first.
 */
import type { Clock } from '../core/clock.ts';
import type { JsonObject } from '../core/json.ts';
import type { Database } from '../platform/db/index.ts';
import type { EventName } from './events.ts';
import type { Notices } from './notices.ts';

/** The state of this replica. */
export interface StaffFacts {
  routes(): { target: string; provider: string; state: string; cause: string | undefined }[];
  /** Closed requests that wait for the database. */
  journalDepth(): number;
  /** Full at this many. */
  journalMost: number;
  audit(): Promise<{ checks: { name: string; ok: boolean }[] }>;
}

export interface StaffWatchOptions {
  db: Database;
  clock: Clock;
  notices: Notices;
  facts: StaffFacts;
}

/** Part of the journal's bound at which it is news; posting empties it within a second when all is well. */
const GROWING = 0.05;
const DAY_LETTERS = 10;

export class StaffWatch {
  readonly #options: StaffWatchOptions;

  constructor(options: StaffWatchOptions) {
    this.#options = options;
  }

  async look(): Promise<void> {
    await this.#routes();
    await this.#journal();
    await this.#books();
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
    const { journalDepth, journalMost } = this.#options.facts;
    const depth = journalDepth();
    if (depth > journalMost * GROWING)
      await this.#tell('journal.growing', 'journal', { depth, most: journalMost }, '/operator/system');
  }

  /** Proving reads every row, so one replica does it, once a day. */
  async #books(): Promise<void> {
    const { db, facts } = this.#options;
    const [turn] = await db.query(
      `insert into alert_memory (account_id, subject, value) values ('', $1, '{}') on conflict do nothing returning subject`,
      [`audit:${this.#day()}`],
    );
    if (!turn) return;
    const { checks } = await facts.audit();
    for (const { name, ok } of checks)
      if (!ok) await this.#tell('books.unproved', name, { check: name }, '/operator/ledger');
  }

  async #tell(event: EventName, subject: string, data: JsonObject, link: string): Promise<void> {
    const occasion = `${subject}:${this.#day()}`;
    await this.#options.notices.raise({ accountId: '', event, occasion, data, link });
  }

  #day(): string {
    return new Date(this.#options.clock.now()).toISOString().slice(0, DAY_LETTERS);
  }
}
