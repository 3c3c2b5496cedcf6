/**
 * Brings the database to what start-up wants: providers and secrets, models and routes, prices, groups. It is
 * idempotent, and quick when nothing changed: a hash of everything but the secrets is stored, and secrets are compared
 * in clear text. What the operator made or took over by hand is never touched, unless the YAML file now declares it.
 */
import { createHmac } from 'node:crypto';
import type { Queryable } from '../../platform/db/index.ts';
import { MODELS_CHOSEN } from '../catalog-rows.ts';
import { announcedLists, type DatedList, listInForce } from '../prices/price-list.ts';
import { type FileTerms, instantsAfter, readTerms, termsAt } from '../prices/pricing-terms.ts';
import { writeCosts } from '../prices/route-costs.ts';
import type { TermRow } from '../prices/term-rows.ts';
import { type DesiredCatalog, desiredCatalog, type SeedSources } from './desired.ts';
import { listedModels } from './listed-models.ts';
import { secretsMatch, seedCredentials } from './seed-credentials.ts';
import { type Repricing, seedPrices } from './seed-prices.ts';
import {
  SEED_LOCK,
  SEEDED_HASH,
  seedGroups,
  seedModels,
  seedProviders,
  seedRoutes,
  seedWithdrawals,
  WRITE_SEEDED_HASH,
} from './seed-rows.ts';
import type { SeedTools } from './seed-tools.ts';

export interface SeedResult {
  changed: boolean;
  newPrices: number;
}

/** Raised when the form of what is written changes, so that an old installation is written again. */
const FORMAT = 2;

/** What start-up seeds from. `sources.terms` hold where neither the file nor the operator names a rate or margin. */
export interface DatedSources {
  sources: SeedSources;
  file: FileTerms;
  /** Lists that replace `sources.listed` at their times, in that order. */
  announced?: readonly DatedList[];
}

/**
 * Called once in a transaction, before anything that determines prices is read, so that replicas wait for each other.
 */
export async function lockSeeding(tx: Queryable): Promise<void> {
  await SEED_LOCK.only(tx);
}

/** Seeds by the rate and margins in force, and by those announced for their dates. */
export async function seedCatalog(tools: SeedTools, dated: DatedSources, anew = false): Promise<SeedResult> {
  return tools.db.transaction(async (tx) => {
    await lockSeeding(tx);
    return seedWithin(tx, tools, dated, anew);
  });
}

/**
 * The part of a larger change; the caller holds the lock. With `anew` it also runs where nothing seems to have changed.
 */
export async function seedWithin(
  tx: Queryable,
  tools: SeedTools,
  dated: DatedSources,
  anew: boolean,
  unpinned?: string,
): Promise<SeedResult> {
  const now = tools.clock.now();
  const { desired, later, withdrawals } = desiredOverTime(
    await withLists(dated, tx, now),
    await readTerms(tx, now),
    now,
  );
  const hash = hashOf(desired, tools.secrets.derive('catalog seed'));
  if (
    !anew &&
    (await SEEDED_HASH.first(tx))?.hash === hash &&
    (await secretsMatch(tx, desired.providers, tools.secrets))
  ) {
    if (await followCosts(tx, tools, dated)) await tools.db.publish(tx, 'catalog', '');
    return { changed: false, newPrices: 0 };
  }
  await seedProviders(tx, desired.providers, now, tools.secrets);
  await seedCredentials(tx, desired.providers, tools);
  await seedModels(tx, desired.models, now);
  await seedRoutes(tx, desired.models);
  await seedWithdrawals(tx, withdrawals, desired.models, now);
  await followCosts(tx, tools, dated);
  const newPrices = await seedPrices(tx, [{ atMs: now, models: desired.models }, ...later], tools, unpinned);
  await seedGroups(tx, desired.groups, now);
  await WRITE_SEEDED_HASH.run(tx, [JSON.stringify({ hash }), now]);
  await tools.db.publish(tx, 'catalog', '');
  return { changed: true, newPrices };
}

/** Updates the costs of routes from the statements, the list and the rate in force. True when something changed. */
export async function followCosts(tx: Queryable, tools: SeedTools, dated: DatedSources): Promise<boolean> {
  const nowMs = tools.clock.now();
  const { exchangeRate } = termsAt(await readTerms(tx, nowMs), nowMs, dated.file, dated.sources.terms);
  const list = (await listInForce(tx, nowMs)) ?? listedModels();
  return writeCosts(tx, { list, exchangeRate, nowMs, randomBytes: tools.randomBytes });
}

/** With the list of models in force, if it is not the shipped one, with those announced, and with what the operator chose. */
export async function withLists(dated: DatedSources, db: Queryable, nowMs: number): Promise<DatedSources> {
  const listed = await listInForce(db, nowMs);
  const chosen = new Set((await MODELS_CHOSEN.rows(db)).map((row) => row.model_id));
  return { ...dated, sources: { ...dated.sources, listed, chosen }, announced: await announcedLists(db, nowMs) };
}

export interface CatalogOverTime {
  desired: DesiredCatalog;
  later: Repricing[];
  /** Present models that a later list leaves out, and from when. */
  withdrawals: Map<string, number>;
}

export function desiredOverTime(
  { sources, file, announced = [] }: DatedSources,
  rows: readonly TermRow[],
  nowMs: number,
): CatalogOverTime {
  const at = (atMs: number) => {
    const listed = announced.findLast((list) => list.atMs <= atMs)?.models ?? sources.listed;
    return desiredCatalog({ ...sources, listed, terms: termsAt(rows, atMs, file, sources.terms) });
  };
  const instants = new Set([...instantsAfter(rows, nowMs), ...announced.map(({ atMs }) => atMs)]);
  const later = [...instants].sort((a, b) => a - b).map((atMs) => ({ atMs, models: at(atMs).models }));
  const desired = at(nowMs);
  return { desired, later, withdrawals: withdrawalsOf(desired, later) };
}

function withdrawalsOf({ models }: DesiredCatalog, later: readonly Repricing[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const { atMs, models: then } of later) {
    const ids = new Set(then.map(({ id }) => id));
    for (const { id } of models) if (!ids.has(id) && !found.has(id)) found.set(id, atMs);
  }
  return found;
}

/** A keyed hash: passwords of proxies are part of the text, and a plain hash could be used to guess them. */
function hashOf({ providers, models, groups }: DesiredCatalog, key: string): string {
  const withoutSecrets = providers.map(({ secrets: _, ...provider }) => provider);
  const text = JSON.stringify([FORMAT, withoutSecrets, models, groups], (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return createHmac('sha256', key).update(text).digest('hex');
}
