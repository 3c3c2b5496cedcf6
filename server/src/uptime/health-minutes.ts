/**
 * What customers met, counted per minute: each model as they met it, each of its routes, and credentials that providers
 * refuse. Outages are judged by these counts (notices/outages). Counting is a few additions in memory; they are written
 * to the database every ten seconds.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../core/clock.ts';
import { NamedValues } from '../core/named-values.ts';
import { type Database, inBatches } from '../platform/db/index.ts';
import type { CountedRequest, FinishedAttempt } from './counted-request.ts';
import { ADD_ACCOUNTS, ADD_CAUSES, ADD_COUNTS, FORGET_HEALTH } from './health-sql.ts';
import { NO_VERDICT, WELL } from './verdicts.ts';

interface MinuteCounts {
  model: string;
  route: string;
  provider: string;
  minute: number;
  answered: number;
  failed: number;
  rescued: number;
}

interface CauseCounts {
  model: string;
  minute: number;
  provider: string;
  cause: string;
  times: number;
}

/** Far above what any catalog uses within one flush, so that a fault elsewhere cannot fill the memory. */
const MAX_COUNTED = 20_000;
const MAX_CAUSES = 5_000;
/**
 * The most accounts that are noted as having met a failure since the last flush; with more, an outage is obvious
 * anyway.
 */
const MAX_ACCOUNTS = 5_000;
const KEPT_MS = 2 * DAY_MS;
/** Prefixes of the route names of credentials: one for refused credentials, one for those whose balance is used up. */
const REFUSED = 'refused:';
const BALANCE = 'balance:';

export class HealthMinutes {
  readonly #db: Database;
  readonly #clock: Clock;
  #counts = new NamedValues<MinuteCounts>();
  #causes = new NamedValues<CauseCounts>();
  #accounts = new NamedValues<{ model: string; account: string; at: number }>();
  #minute = { ms: Number.NaN, name: '' };
  /** Credentials in trouble, as provider and id: only their answers are counted, so that a healthy service counts none. */
  #troubled: ReadonlySet<string> = new Set();
  /** What this replica saw refused since `watchCredentials` was last called. */
  #refusedHere = new Set<string>();

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Sets the credentials of open outages. Their answers are counted, because an answer ends the outage. */
  watchCredentials(credentials: Iterable<string>): void {
    this.#troubled = new Set([...credentials, ...this.#refusedHere]);
    this.#refusedHere = new Set();
  }

  finished(request: CountedRequest): void {
    const { model, attempts, accountId } = request;
    const ms = this.#clock.now();
    const minute = ms - (ms % MINUTE_MS);
    const failed = hasFailed(request);
    const last = failed ? attempts.findLast(isBad) : undefined;
    if (failed || isAnswered(request)) {
      const counts = this.#countsOf(model, '', '', minute);
      if (counts && failed) counts.failed++;
      else if (counts) counts.answered++;
    }
    if (failed) {
      this.#addCause(model, minute, last?.provider ?? '', causeOf(last, request.errorCode));
      this.#addAccount(model, accountId, ms);
    }
    for (const attempt of attempts) this.#attempt(model, attempt, minute, failed);
  }

  #attempt(model: string, attempt: FinishedAttempt, minute: number, requestFailed: boolean): void {
    const { route, provider, outcome, credential } = attempt;
    if (NO_VERDICT.has(outcome)) return;
    const counts = this.#countsOf(model, route, provider, minute);
    const isWell = WELL.has(outcome);
    if (counts && isWell) counts.answered++;
    else if (counts) {
      counts.failed++;
      if (!requestFailed) counts.rescued++;
    }
    if (outcome === 'credential') this.#refused(attempt, minute);
    else if (outcome === 'ok' && this.#troubled.size > 0 && this.#troubled.has(`${provider} ${credential}`))
      for (const kind of [REFUSED, BALANCE]) {
        const own = this.#countsOf('', kind + credential, provider, minute);
        if (own) own.answered++;
      }
  }

  #refused({ provider, credential, status, noBalance }: FinishedAttempt, minute: number): void {
    const own = this.#countsOf('', (noBalance ? BALANCE : REFUSED) + credential, provider, minute);
    if (own) own.failed++;
    if (this.#refusedHere.size < MAX_CAUSES) this.#refusedHere.add(`${provider} ${credential}`);
    this.#addCause('', minute, provider, causeOf({ outcome: 'credential', status }, null));
  }

  #countsOf(model: string, route: string, provider: string, minute: number): MinuteCounts | undefined {
    if (this.#minute.ms !== minute) this.#minute = { ms: minute, name: `${minute}` };
    const { name } = this.#minute;
    const known = this.#counts.find(name, model, route);
    if (known || this.#counts.size >= MAX_COUNTED) return known;
    const counts = { model, route, provider, minute, answered: 0, failed: 0, rescued: 0 };
    this.#counts.set([name, model, route], counts);
    return counts;
  }

  #addCause(model: string, minute: number, provider: string, cause: string, times = 1): void {
    const name = `${minute}`;
    const known = this.#causes.find(name, model, provider, cause);
    if (known) known.times += times;
    else if (this.#causes.size < MAX_CAUSES)
      this.#causes.set([name, model, provider, cause], { model, minute, provider, cause, times });
  }

  #addAccount(model: string, account: string, at: number): void {
    const known = this.#accounts.find(model, account);
    if (known) known.at = Math.max(known.at, at);
    else if (this.#accounts.size < MAX_ACCOUNTS) this.#accounts.set([model, account], { model, account, at });
  }

  /**
   * Writes what was counted since the last flush. While the database is unreachable the counts wait in memory, within
   * their limits.
   */
  async flush(): Promise<void> {
    const [counts, causes, accounts] = [valuesOf(this.#counts), valuesOf(this.#causes), valuesOf(this.#accounts)];
    if (counts.length + causes.length + accounts.length === 0) return;
    this.#counts = new NamedValues();
    this.#causes = new NamedValues();
    this.#accounts = new NamedValues();
    try {
      await this.#db.transaction(async (tx) => {
        await ADD_COUNTS.run(tx, [JSON.stringify(counts.sort(inOrder).map(rowOf))]);
        if (causes.length > 0) await ADD_CAUSES.run(tx, [JSON.stringify(causes.sort(inOrder).map(rowOf))]);
        if (accounts.length > 0) await ADD_ACCOUNTS.run(tx, [JSON.stringify(accounts.sort(inOrder).map(accountRow))]);
      });
    } catch (error) {
      this.#takeBack(counts, causes);
      for (const { model, account, at } of accounts) this.#addAccount(model, account, at);
      throw error;
    }
  }

  #takeBack(counts: readonly MinuteCounts[], causes: readonly CauseCounts[]): void {
    for (const { model, route, provider, minute, answered, failed, rescued } of counts) {
      const now = this.#countsOf(model, route, provider, minute);
      if (!now) continue;
      now.answered += answered;
      now.failed += failed;
      now.rescued += rescued;
    }
    for (const { model, minute, provider, cause, times } of causes)
      this.#addCause(model, minute, provider, cause, times);
  }

  async forget(): Promise<void> {
    const before = new Date(this.#clock.now() - KEPT_MS);
    const tables = [
      ['health_minute', 'minute'],
      ['health_cause', 'minute'],
      ['health_account', 'failed_at'],
    ] as const;
    for (const [table, time] of tables) await inBatches(() => FORGET_HEALTH(table, time).rows(this.#db, [before]));
  }
}

export const HEALTH_FLUSH_MS = 10_000;
export const HEALTH_FORGET_MS = HOUR_MS;

/**
 * A client that left, was refused by a rule or met only our own limits has seen neither a success nor a failure of the
 * model.
 */
function isAnswered({ state, status }: CountedRequest): boolean {
  return state !== 'client_closed' && state !== 'refused' && state !== 'interrupted' && status < 500;
}

/**
 * True when a customer met a failure that is not their own. Overload here, or a process that ends, is not an outage of
 * a model; a customer who leaves, breaks a rule or sends what a provider rightly refuses causes none.
 */
function hasFailed({ state, status, errorCode, attempts }: CountedRequest): boolean {
  if (state === 'client_closed' || state === 'refused' || errorCode === 'overloaded') return false;
  if (state !== 'interrupted' && status < 500) return false;
  return (
    errorCode === 'internal_error' || attempts.some(isBad) || !attempts.some(({ outcome }) => outcome !== 'skipped')
  );
}

function isBad({ outcome }: FinishedAttempt): boolean {
  return !NO_VERDICT.has(outcome) && !WELL.has(outcome);
}

function causeOf(last: Pick<FinishedAttempt, 'outcome' | 'status'> | undefined, errorCode: string | null): string {
  if (last) return last.status === null || last.status < 300 ? last.outcome : `${last.outcome} ${last.status}`;
  return errorCode ?? 'interrupted';
}

function valuesOf<Value>(values: NamedValues<Value>): Value[] {
  return Array.from(values.entries(), ([, value]) => value);
}

function rowOf<Row extends { minute: number }>(row: Row) {
  return { ...row, minute: new Date(row.minute).toISOString() };
}

function accountRow({ model, account, at }: { model: string; account: string; at: number }) {
  return { model, account, at: new Date(at).toISOString() };
}

interface Ordered {
  model: string;
  route?: string;
  provider?: string;
  account?: string;
  cause?: string;
  minute?: number;
}

/** In the same order on all replicas, so that their locks never deadlock. */
function inOrder(a: Ordered, b: Ordered): number {
  return (
    compare(a.model, b.model) ||
    compare(a.route, b.route) ||
    (a.minute ?? 0) - (b.minute ?? 0) ||
    compare(a.provider, b.provider) ||
    compare(a.cause, b.cause) ||
    compare(a.account, b.account)
  );
}

function compare(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
