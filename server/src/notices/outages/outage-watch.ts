/**
 * Finds outages by what customers met (uptime/health-minutes.ts) and by what this process knows of itself. Every
 * replica records what it sees; one of them at a time judges, ends and tells. A healthy service costs one statement
 * every ten seconds.
 */
import { MINUTE_MS, SECOND_MS } from '@dargah/core/time-spans.ts';
import type { Clock } from '../../core/clock.ts';
import type { RandomBytes } from '../../core/ids.ts';
import { type Database, lockUntilCommit, type Queryable } from '../../platform/db/index.ts';
import type { Notices } from '../notices.ts';
import { takeWatchTurn } from '../watch/memory.ts';
import {
  MINUTES_OF_OUTAGES,
  type MinuteOfHealth,
  RECENT_SUMS,
  RECENT_TROUBLES,
  type RecentCounts,
} from './health-rows.ts';
import { endOf, failsAsRoute, failsCustomers, severityOf, shareOf, startOfMinute } from './judge.ts';
import { noteOutage, type SeenOutage } from './note-outage.ts';
import { isOwnKind } from './outage-kinds.ts';
import {
  ADD_TO_OUTAGE,
  closeOutage,
  commonestCauses,
  countModelOutage,
  type Outage,
  openOutages,
} from './outage-rows.ts';
import { tellOutages } from './tell-outages.ts';

export interface OutageWatchOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  notices: Pick<Notices, 'raise'>;
  /** What this replica knows of its own health; read at every look. */
  conditions(): Promise<SeenOutage[]>;
  /** Routes whose circuit is open on this replica, with their provider. */
  openCircuits(): { target: string; provider: string }[];
  /** Credentials (provider and id) whose answers must be counted. */
  watchCredentials(credentials: string[]): void;
  /** Tests a provider without spending; undefined where nothing can be tested. */
  testProvider(id: string): Promise<boolean | undefined>;
}

/** An outage that nobody has seen for this long is over. */
const UNSEEN_MS = 90 * SECOND_MS;
const TURN_MS = 9 * SECOND_MS;
const COUNT_MS = MINUTE_MS;
/** A circuit that is open for this long is an outage of its provider, also when no request uses it any more. */
const CIRCUIT_MS = 10 * MINUTE_MS;
const TEST_MS = 30 * MINUTE_MS;
/** The most tests of providers in one look, because each may take seconds. */
const MAX_TESTS = 3;
const WINDOW_MINUTES = 5;
const KEPT_MINUTES = 31;
/** More would be a fault of ours; the limit keeps one look small. */
const MAX_SEEN = 1_000;

export class OutageWatch {
  readonly #options: OutageWatchOptions;
  readonly #circuitSince = new Map<string, number>();

  constructor(options: OutageWatchOptions) {
    this.#options = options;
  }

  async look(): Promise<void> {
    const { db, clock, randomBytes, conditions } = this.#options;
    const seen = await conditions();
    const circuits = this.#circuits();
    for (const one of seen) await noteOutage(db, one, { nowMs: clock.now(), randomBytes });
    const open = await openOutages(db);
    this.#options.watchCredentials(open.flatMap(credentialOf));
    if (!(await takeWatchTurn(db, 'outages', clock.now(), TURN_MS))) return;
    const ends = await this.#ends(open);
    await db.transaction(async (tx) => {
      await lockUntilCommit(tx, 'outages');
      await this.#judge(tx, circuits);
      for (const [id, ending, test] of ends) {
        if (test !== undefined) await ADD_TO_OUTAGE.run(tx, [id, { test }]);
        await closeOutage(tx, id, ending, clock.now());
      }
      await this.#count(tx, new Set(ends.map(([id]) => id)), open);
      await tellOutages(tx, this.#options.notices, clock.now());
    });
  }

  /** Providers whose circuits have been open long enough. */
  #circuits(): Map<string, number> {
    const nowMs = this.#options.clock.now();
    const open = new Map(this.#options.openCircuits().map(({ target, provider }) => [target, provider]));
    for (const target of this.#circuitSince.keys()) if (!open.has(target)) this.#circuitSince.delete(target);
    const providers = new Map<string, number>();
    for (const [target, provider] of open) {
      const since = this.#circuitSince.get(target) ?? nowMs;
      this.#circuitSince.set(target, since);
      if (since <= nowMs - CIRCUIT_MS) providers.set(provider, Math.min(since, providers.get(provider) ?? since));
    }
    return providers;
  }

  async #judge(tx: Queryable, circuits: ReadonlyMap<string, number>): Promise<void> {
    const nowMs = this.#options.clock.now();
    const { troubles, all } = await recentTroubles(tx, nowMs);
    const failing = troubles.filter((one) => one.model !== '' && one.route === '' && failsCustomers(one));
    const seen = [
      ...(await failingModels(tx, failing, all, nowMs)),
      ...rescued(troubles, new Set(failing.map(({ model }) => model)), circuits, all.answered > 0),
      ...credentials(troubles),
    ];
    const tools = { nowMs, randomBytes: this.#options.randomBytes };
    for (const one of seen.slice(0, MAX_SEEN)) await noteOutage(tx, one, tools);
  }

  /** The outages that are over, with the result of a provider's test where no request used it. */
  async #ends(open: readonly Outage[]): Promise<[id: string, ending: 'recovered' | 'quiet', test?: string][]> {
    const { db, clock } = this.#options;
    const nowMs = clock.now();
    const ends: [string, 'recovered' | 'quiet', string?][] = open
      .filter(({ kind, seenAt }) => isOwnKind(kind) && seenAt.getTime() <= nowMs - UNSEEN_MS)
      .map(({ id }) => [id, 'recovered']);
    const met = open.filter(({ kind }) => !isOwnKind(kind));
    const minutes = await minutesOf(db, met, nowMs);
    let tests = 0;
    for (const outage of met) {
      const ending = endOfOutage(outage, minutes.get(outage.id) ?? [], nowMs);
      if (ending === 'recovered') ends.push([outage.id, ending]);
      if (ending !== 'quiet' || tests >= MAX_TESTS || wasTested(outage, nowMs)) continue;
      tests++;
      const works = outage.provider === null ? undefined : await this.#options.testProvider(outage.provider);
      if (works === false) await noteTest(db, outage.id, nowMs);
      else ends.push([outage.id, 'quiet', works ? 'ok' : 'none']);
    }
    return ends;
  }

  async #count(tx: Queryable, ended: ReadonlySet<string>, before: readonly Outage[]): Promise<void> {
    const nowMs = this.#options.clock.now();
    const known = new Set(before.map(({ id }) => id));
    const rows = [...(await openOutages(tx)), ...before.filter(({ id }) => ended.has(id))];
    for (const outage of rows) {
      const isDue =
        !known.has(outage.id) || ended.has(outage.id) || (outage.countedAt?.getTime() ?? 0) <= nowMs - COUNT_MS;
      if (outage.kind === 'model.failing' && isDue) await countModelOutage(tx, outage, nowMs);
    }
  }
}

/** While a circuit is open no request is sent, so the counts say nothing. */
function endOfOutage(
  { kind, seenAt }: Outage,
  minutes: MinuteOfHealth[],
  nowMs: number,
): 'recovered' | 'quiet' | undefined {
  const isCredential = kind === 'provider.credential_dead' || kind === 'provider.balance_out';
  if (kind === 'provider.rescued' && seenAt.getTime() > nowMs - MINUTE_MS) return undefined;
  return endOf(minutes, nowMs, isCredential ? 1 : undefined);
}

function wasTested({ data }: Outage, nowMs: number): boolean {
  const at = data['tested_at'];
  return typeof at === 'number' && at > nowMs - TEST_MS;
}

/** The provider still fails: the outage goes on, and is tested again later. */
async function noteTest(db: Queryable, id: string, nowMs: number): Promise<void> {
  await ADD_TO_OUTAGE.run(db, [id, { test: 'failed', tested_at: nowMs }]);
}

function credentialOf({ kind, subject }: Outage): string[] {
  return kind === 'provider.credential_dead' || kind === 'provider.balance_out' ? [subject] : [];
}

async function recentTroubles(tx: Queryable, nowMs: number) {
  const recent = new Date(startOfMinute(nowMs) - (WINDOW_MINUTES - 1) * MINUTE_MS);
  const from = new Date(recent.getTime() - WINDOW_MINUTES * MINUTE_MS);
  const troubles = await RECENT_TROUBLES.rows(tx, [from, recent]);
  if (troubles.length === 0) return { troubles, all: { answered: 0, failed: 0 } };
  const sum = await RECENT_SUMS.first(tx, [recent]);
  return { troubles, all: sum ?? { answered: 0, failed: 0 } };
}

async function failingModels(
  tx: Queryable,
  failing: readonly RecentCounts[],
  all: { answered: number; failed: number },
  nowMs: number,
): Promise<SeenOutage[]> {
  if (failing.length === 0) return [];
  const from = new Date(startOfMinute(nowMs) - 2 * WINDOW_MINUTES * MINUTE_MS);
  const causes = await commonestCauses(
    tx,
    failing.map(({ model }) => model),
    from,
  );
  const causeOf = new Map(causes.map((one) => [one.model, one]));
  const perProvider = new Map<string, number>();
  for (const { provider } of causes)
    if (provider !== '') perProvider.set(provider, (perProvider.get(provider) ?? 0) + 1);
  return failing.map((counts) => {
    const { provider = '', cause = null } = causeOf.get(counts.model) ?? {};
    return {
      kind: 'model.failing' as const,
      subject: counts.model,
      severity: severityOf(all, perProvider.get(provider) ?? 0),
      since: counts.since,
      share: shareOf(counts.failed, counts.answered) || 1,
      cause,
      provider: provider === '' ? null : provider,
    };
  });
}

/** One row per provider, whichever of its routes fail; a model that fails its customers has a row of its own. */
function rescued(
  troubles: readonly RecentCounts[],
  failing: ReadonlySet<string>,
  circuits: ReadonlyMap<string, number>,
  servesSomebody: boolean,
): SeenOutage[] {
  const since = new Map<string, Date>();
  for (const one of troubles)
    if (one.model !== '' && one.route !== '' && !failing.has(one.model) && failsAsRoute(one))
      since.set(one.provider, new Date(Math.min(one.since.getTime(), since.get(one.provider)?.getTime() ?? Infinity)));
  if (servesSomebody && failing.size === 0)
    for (const [provider, ms] of circuits) if (!since.has(provider)) since.set(provider, new Date(ms));
  return [...since].map(([provider, at]) => ({
    kind: 'provider.rescued' as const,
    subject: provider,
    severity: 'warning' as const,
    since: at,
    provider,
  }));
}

function credentials(troubles: readonly RecentCounts[]): SeenOutage[] {
  return troubles
    .filter(
      ({ model, lastFailed, lastAnswered }) => model === '' && (lastAnswered === null || lastFailed > lastAnswered),
    )
    .map(({ route, provider, since }) => {
      const [what = '', ...rest] = route.split(':');
      const credential = rest.join(':');
      return {
        kind: what === 'balance' ? ('provider.balance_out' as const) : ('provider.credential_dead' as const),
        subject: `${provider} ${credential}`,
        severity: 'major' as const,
        since,
        provider,
        data: { credential },
      };
    });
}

/** The last half hour of each outage, minute by minute. */
async function minutesOf(
  tx: Queryable,
  outages: readonly Outage[],
  nowMs: number,
): Promise<Map<string, MinuteOfHealth[]>> {
  const found = new Map<string, MinuteOfHealth[]>();
  if (outages.length === 0) return found;
  const from = new Date(startOfMinute(nowMs) - KEPT_MINUTES * MINUTE_MS);
  const asked = outages.map((outage) => ({ id: outage.id, ...placeOf(outage) }));
  const rows = await MINUTES_OF_OUTAGES.rows(tx, [JSON.stringify(asked), from]);
  for (const { id, ...minute } of rows) found.set(id, [...(found.get(id) ?? []), minute]);
  return found;
}

function placeOf({ kind, subject, provider, data }: Outage) {
  if (kind === 'provider.rescued') return { model: '', route: '', provider };
  if (kind === 'model.failing') return { model: subject, route: '', provider: null };
  const what = kind === 'provider.balance_out' ? 'balance' : 'refused';
  return { model: '', route: `${what}:${String(data['credential'] ?? '')}`, provider: null };
}
