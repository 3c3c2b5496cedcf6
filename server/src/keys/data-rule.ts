/** The rule `data_policy` of a key and `svc.routing.data` of a request: what is demanded of whoever answers. */
import {
  bothDemands,
  type DataDemand,
  type DataPolicy,
  demands,
  NOTHING_STATED,
  type UnmetData,
  unmetData,
} from '@dargah/core/data-policy.ts';
import type { AnyRequest } from '../core/chat.ts';
import { GatewayError } from '../core/errors.ts';
import { keyReasons } from './reasons.ts';
import type { KeySnapshot } from './rules.ts';

/** A route, as far as the rule cares. */
interface Stating {
  provider: { dataPolicy?: DataPolicy };
}

/** What both demand, each on its own: a route must satisfy all of it. Undefined, as nearly always: nothing is demanded. */
export function dataDemands(
  { rules: { dataPolicy } }: KeySnapshot,
  ofRequest: DataDemand | undefined,
): readonly DataDemand[] | undefined {
  const byKey = demands(dataPolicy);
  if (ofRequest === undefined) return byKey ? [dataPolicy] : undefined;
  return byKey ? [dataPolicy, ofRequest] : [ofRequest];
}

export function unmetByRoute(wanted: readonly DataDemand[], { provider }: Stating): UnmetData | undefined {
  for (const demand of wanted) {
    const unmet = unmetData(demand, provider.dataPolicy ?? NOTHING_STATED);
    if (unmet !== undefined) return unmet;
  }
  return undefined;
}

function isStated(wanted: readonly DataDemand[], { routes }: { routes: readonly Stating[] }): boolean {
  return routes.some((route) => unmetByRoute(wanted, route) === undefined);
}

export function meetsData(key: KeySnapshot, { svc }: AnyRequest, model: { routes: readonly Stating[] }): boolean {
  const wanted = dataDemands(key, svc.routing?.data);
  return wanted === undefined || isStated(wanted, model);
}

/** Refuses a model none of whose routes states what is demanded, before anything is reserved or sent. */
export function checkDataPolicy(
  key: KeySnapshot,
  { svc }: AnyRequest,
  model: { id: string; routes: readonly Stating[] },
): void {
  const wanted = dataDemands(key, svc.routing?.data);
  if (wanted === undefined || isStated(wanted, model)) return;
  const ofKey = demands(key.rules.dataPolicy) ? [key.rules.dataPolicy] : [];
  const byKey = ofKey.length > 0 && !isStated(ofKey, model);
  const missing = [...new Set(model.routes.map((route) => unmetByRoute(wanted, route)))].filter(
    (one) => one !== undefined,
  );
  throw new GatewayError('data_policy_unmet', {
    param: byKey ? 'model' : 'svc.routing.data',
    ...(byKey && { ruleOf: 'key' as const }),
    reason: keyReasons.dataUnmet(model.id, missing),
    detail: { unmet: missing },
  });
}

/** For what the gateway asks by itself while it answers a request: it is held to what the request demands. */
export function withDemand(key: KeySnapshot, demand: DataDemand | undefined): KeySnapshot {
  if (demand === undefined) return key;
  return { ...key, rules: { ...key.rules, dataPolicy: ruleOf(bothDemands(key.rules.dataPolicy, demand)) } };
}

function ruleOf({ noTraining, maxRetentionDays, regions }: DataDemand): KeySnapshot['rules']['dataPolicy'] {
  return { noTraining, maxRetentionDays, regions: regions === null ? null : [...regions] };
}

/** For lists of models: what the key's own rule leaves. */
export function permitsData({ rules: { dataPolicy } }: KeySnapshot, model: { routes: readonly Stating[] }): boolean {
  return !demands(dataPolicy) || isStated([dataPolicy], model);
}
