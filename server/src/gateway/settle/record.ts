/** The record of a request, as it opens, as it ends and when it is refused: the values of the request log's columns come from here. */
import type { Hold } from '../../admission/index.ts';
import type { Model } from '../../catalog/index.ts';
import type { GatewayError } from '../../core/errors.ts';
import { type Money, toTomanText, ZERO } from '../../core/money.ts';
import { costOf } from '../../core/price.ts';
import type { RoutingTold } from '../../core/routing-told.ts';
import { emptyUsage, type Usage } from '../../core/usage.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { Charge, Outcome } from '../../ledger/index.ts';
import type { GuaranteeTold } from '../../protocols/index.ts';
import type {
  AttemptRecord,
  PassageRecord,
  RequestRecord,
  StartRecord,
  WrittenRequest,
} from '../../requestlog/index.ts';
import type { Target } from '../../routing/index.ts';
import type { Call } from '../call.ts';

/** What became known beside the call until the request was admitted; a refused request has none of it. */
interface AdmittedFacts {
  model?: Model;
  stream?: boolean;
  user?: string | undefined;
  hold?: Hold;
}

/** The prefix of the ids of customers' own keys (keys/own-keys.ts). */
const OWN_KEY = 'ownk_';
const NOTHING_ADMITTED: AdmittedFacts = {};
/** Shared and never changed. */
const NO_REPAIR: string[] = [];

/** The start record: written before any provider is asked, and for a refused request. */
export function startRecordOf(call: Call, key: KeySnapshot, facts: AdmittedFacts = NOTHING_ADMITTED): StartRecord {
  const { model, hold } = facts;
  const startRecord: StartRecord = {
    id: call.id,
    createdAt: call.receivedAt,
    accountId: key.account.id,
    keyId: key.id,
    endpoint: call.endpoint,
    model: model?.id ?? call.metadata.model ?? '',
    stream: facts.stream ?? false,
    held: hold?.amount ?? ZERO,
    priceVersion: model?.price.version ?? '',
    user: facts.user ?? null,
  };
  if (hold) startRecord.budgets = hold.budgets;
  return startRecord;
}

/** What the record gets from the run of the request. */
interface RunFacts {
  call: Call;
  key: KeySnapshot;
  model: Model;
  startRecord: StartRecord;
  money: { budgets: string[] };
  counters: string[];
  tags: string[];
  responseCache: string | null;
  /** The answer came from the response cache. */
  isCached: boolean;
  attempts: AttemptRecord[];
  plan: string[];
  target: Target | undefined;
  /** What that route did, where others continued its answer. */
  firstUsage: Usage | undefined;
  firstEventMs: number | null;
  retrievedTokens: number;
  passages: PassageRecord[];
  told: RoutingTold | undefined;
  /** What a provider charges for the request alone. */
  inputUsage: Usage;
  guarantee: GuaranteeTold | undefined;
}

/** The row of a request that no provider was asked for; the columns it does not name keep their initial values. */
export function refusedRecord(
  call: Call,
  key: KeySnapshot,
  error: GatewayError,
  durationMs: number,
  warnings: string[],
): WrittenRequest {
  const record: WrittenRequest = startRecordOf(call, key);
  record.state = 'refused';
  record.errorCode = error.code;
  record.status = error.status;
  record.durationMs = durationMs;
  record.warnings = warnings;
  if (call.batch) record.batch = call.batch.id;
  return record;
}

interface Ended {
  outcome: Outcome;
  charge: Charge;
  error: GatewayError | undefined;
  durationMs: number;
  /** What caches saved, of what it would have cost without them. */
  saved: Money;
}

export function endedRecord(run: RunFacts, { outcome, charge, error, durationMs, saved }: Ended): RequestRecord {
  const { startRecord, model } = run;
  if (!outcome.charge) noteUnsold(run, outcome);
  // Field by field: with `...startRecord` the record would become a slow dictionary (docs/performance.md).
  const record: RequestRecord = {
    id: startRecord.id,
    createdAt: startRecord.createdAt,
    accountId: startRecord.accountId,
    keyId: startRecord.keyId,
    endpoint: startRecord.endpoint,
    model: model.id,
    stream: startRecord.stream,
    held: startRecord.held,
    priceVersion: model.price.version,
    user: startRecord.user,
    budgets: run.money.budgets,
    tags: run.tags,
    responseCache: run.responseCache,
    cacheSaved: saved,
    notify: run.key.rules.settledWebhook ? 1 : 0,
    batch: run.call.batch?.id ?? null,
    pricePercent: run.call.batch?.pricePercent ?? null,
    state: outcome.state,
    errorCode: error?.code ?? null,
    status: error?.status ?? 200,
    usage: outcome.usage,
    cost: charge.cost,
    formula: charge.formula,
    attempts: run.attempts,
    plan: run.plan,
    providerCost: providerCost(run, outcome),
    provider: run.target?.route.provider.id ?? lastTried(run.attempts),
    firstEventMs: run.firstEventMs,
    durationMs,
    counters: run.counters,
    retrievedTokens: run.retrievedTokens,
    passages: run.passages,
    routing: run.told === undefined ? null : routingOf(run.told, run.target),
    warnings: run.call.metadata.warnings,
    guarantee: run.guarantee?.state ?? null,
    repair: run.guarantee === undefined ? NO_REPAIR : [...run.guarantee.repairs],
  };
  return record;
}

/** Includes what became known when a route answered. */
function routingOf({ auto, data, ownKey }: RoutingTold, target: Target | undefined): RoutingTold {
  const stated = target?.route.provider.dataPolicy ?? null;
  return {
    ...(auto && { auto }),
    ...(data && { data: { demanded: data.demanded, stated } }),
    ...(ownKey && { ownKey: { ...ownKey, answered: target?.route.own !== undefined } }),
  };
}

/** Where nobody answered, staff want to know who was asked last; a skipped route was not asked. */
function lastTried(attempts: readonly AttemptRecord[]): string | null {
  return attempts.findLast(({ outcome }) => outcome !== 'skipped')?.provider ?? null;
}

function providerCost(run: RunFacts, { usage, charge }: Outcome): Money | null {
  const { target, attempts, told, isCached, firstUsage } = run;
  // Known to be zero, because no provider was asked.
  if (isCached) return ZERO;
  // A customer's own key costs the operator nothing, and that is known.
  if (told?.ownKey && (target ? target.route.own !== undefined : attempts.every(isByOwnKey))) return ZERO;
  const price = target?.route.cost;
  return price && charge ? costOf(price, firstUsage ?? usage ?? emptyUsage('estimated')) : null;
}

function isByOwnKey({ credential, outcome }: AttemptRecord): boolean {
  return outcome === 'skipped' || credential.startsWith(OWN_KEY);
}

/** What a request says about the operator's routes; undefined where only a customer's own key was asked. */
export function withoutOwnKey(record: RequestRecord): RequestRecord | undefined {
  const attempts = record.attempts.filter(({ credential }) => !credential.startsWith(OWN_KEY));
  return attempts.length === 0 ? undefined : { ...record, attempts };
}

/**
 * An answer that is not charged still costs the operator something: what the provider reported, else at least the
 * input.
 */
function noteUnsold({ target, attempts, inputUsage, firstUsage }: RunFacts, { usage }: Outcome): void {
  const price = target?.route.cost;
  if (!target || !price || target.route.own) return;
  const answer = attempts.findLast(
    ({ route, outcome, continues }) =>
      route === target.route.id && !continues && !['hedge-lost', 'broken-answer', 'skipped'].includes(outcome),
  );
  if (answer) answer.providerCost = toTomanText(costOf(price, firstUsage ?? usage ?? inputUsage));
}
