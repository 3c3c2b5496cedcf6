/**
 * A large body is parsed only for a caller who could be answered, because parsing is the most expensive work we do for a request that is
 * then refused.
 */
import type { BudgetCheck } from '../../admission/index.ts';
import type { CatalogSnapshot, Model } from '../../catalog/index.ts';
import { unitPrice } from '../../core/price.ts';
import { BUCKETS } from '../../core/usage.ts';
import { type KeySnapshot, permitsModel } from '../../keys/index.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';
import { standingLimitChecks } from './limit-checks.ts';
import { refusalOf } from './limit-refusal.ts';

/** Nearly all bodies are smaller; parsing one of this size takes about a millisecond. */
export const LARGE_BODY_BYTES = 64 * 1024;
const MAX_NAMES_SOUGHT = 8;
/** Every window is empty after a minute. */
const MAX_WAIT_MS = 60_000;

/** Returns undefined at once for a body that is not large, so that most requests wait for nothing. */
export function checkBeforeParsing(call: Call, key: KeySnapshot, gw: Gateway): Promise<void> | undefined {
  return call.body.length > LARGE_BODY_BYTES ? checkLimits(call, key, gw) : undefined;
}

/** Reserves nothing; the cost is known only after parsing. */
async function checkLimits(call: Call, key: KeySnapshot, gw: Gateway): Promise<void> {
  const { rates, budgets } = standingLimitChecks(key, gw.settings.walletMinimum, gw.clock.now());
  const windows = await gw.admission.windows(rates);
  for (const check of rates) {
    const state = windows.get(check.id);
    if (state === undefined || state.remaining >= check.amount) continue;
    call.metadata.windows = windows;
    throw refusalOf(check, Math.min(state.resetMs, MAX_WAIT_MS));
  }
  const empty = await emptyBudget(budgets, gw);
  if (empty && !mayAskFreeModel(call, key, gw.catalog.current())) throw refusalOf(empty);
}

/** Returns false when the wallet or a cap of the caller has nothing left. */
export async function hasMoney(key: KeySnapshot, gw: Gateway): Promise<boolean> {
  const { budgets } = standingLimitChecks(key, gw.settings.walletMinimum, gw.clock.now());
  return (await emptyBudget(budgets, gw)) === undefined;
}

async function emptyBudget(budgets: BudgetCheck[], gw: Gateway): Promise<BudgetCheck | undefined> {
  const states = await gw.admission.budgets(budgets);
  return budgets.find(({ id }) => {
    const state = states.get(id);
    return state !== undefined && state.limit - state.posted - state.held <= 0n;
  });
}

interface FreeModel {
  /** The names by which requests can ask for it: its id, or a group whose default it is. */
  name: string;
  id: string;
  /** The name as bytes of a JSON body. Some clients escape every slash. */
  written: Buffer[];
}

/**
 * An empty wallet does not refuse a request to a free model. Searching for a few names is far cheaper than parsing;
 * with many names the body is parsed, since searching for all of them would take longer.
 */
function mayAskFreeModel({ body, address }: Call, key: KeySnapshot, catalog: CatalogSnapshot): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const free = freeModelsOf(catalog).filter(({ name, id }) => permitsModel(key, id, name, catalog.groups));
  return (
    free.length > MAX_NAMES_SOUGHT ||
    free.some(
      ({ name, written }) =>
        name === key.rules.defaultModel ||
        address?.startsWith(`${name}:`) === true ||
        written.some((text) => bytes.includes(text)),
    )
  );
}

const freeModels = new WeakMap<CatalogSnapshot, FreeModel[]>();

function freeModelsOf(catalog: CatalogSnapshot): FreeModel[] {
  const known = freeModels.get(catalog);
  if (known) return known;
  const free = [...catalog.models.values()].filter(isFree).map(({ id }) => namedAs(id, id));
  for (const [group, { defaultModel }] of catalog.groups)
    if (free.some(({ id }) => id === defaultModel)) free.push(namedAs(`group:${group}`, defaultModel));
  freeModels.set(catalog, free);
  return free;
}

function namedAs(name: string, id: string): FreeModel {
  const quoted = JSON.stringify(name);
  return { name, id, written: [...new Set([quoted, quoted.replaceAll('/', '\\/')])].map((text) => Buffer.from(text)) };
}

function isFree({ price }: Model): boolean {
  return price.perRequest === 0n && !price.tiers && BUCKETS.every((bucket) => unitPrice(price, bucket) === 0n);
}
