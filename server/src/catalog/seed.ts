/**
 * Brings the database to what start-up wants: providers and secrets, models and routes, prices, groups. Idempotent, and
 * quick when nothing changed: a hash of everything but the secrets is kept, and secrets are compared in the open.
 * What the operator made or took over by hand is never touched, unless the YAML file now declares it.
 */
import { createHmac } from 'node:crypto';
import type { Queryable } from '../platform/db/index.ts';
import type { DesiredCatalog } from './desired.ts';
import { secretsMatch, seedCredentials } from './seed-credentials.ts';
import { seedPrices } from './seed-prices.ts';
import { seedGroups, seedModels, seedProviders, seedRoutes } from './seed-rows.ts';
import type { SeedTools } from './seed-tools.ts';

export interface SeedResult {
  changed: boolean;
  newPrices: number;
}

/** Raised when the form of what is written changes, so that an old installation is written anew. */
const FORMAT = 1;
/** Any constant; replicas that start together take turns. */
const LOCK_KEY = '742919341';
const SETTING = 'catalog_seed';

export async function seedCatalog(tools: SeedTools, desired: DesiredCatalog): Promise<SeedResult> {
  const hash = hashOf(desired, tools.secrets.derive('catalog seed'));
  return tools.db.transaction(async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(${LOCK_KEY})`);
    if ((await storedHash(tx)) === hash && (await secretsMatch(tx, desired.providers, tools.secrets)))
      return { changed: false, newPrices: 0 };
    const now = tools.clock.now();
    await seedProviders(tx, desired.providers, now, tools.secrets);
    await seedCredentials(tx, desired.providers, tools);
    await seedModels(tx, desired.models, now);
    await seedRoutes(tx, desired.models);
    const newPrices = await seedPrices(tx, desired.models, tools);
    await seedGroups(tx, desired.groups, now);
    await storeHash(tx, hash, now);
    await tools.db.publish(tx, 'catalog', '');
    return { changed: true, newPrices };
  });
}

/** Keyed: the passwords of proxies are in it, and a plain hash of them could be guessed from. */
function hashOf({ providers, models, groups }: DesiredCatalog, key: string): string {
  const withoutSecrets = providers.map(({ secrets: _, ...provider }) => provider);
  const text = JSON.stringify([FORMAT, withoutSecrets, models, groups], (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return createHmac('sha256', key).update(text).digest('hex');
}

async function storedHash(tx: Queryable): Promise<string | undefined> {
  const [row] = await tx.query<{ hash: string }>(`select value ->> 'hash' as hash from setting where key = $1`, [
    SETTING,
  ]);
  return row?.hash;
}

async function storeHash(tx: Queryable, hash: string, nowMs: number): Promise<void> {
  await tx.query(
    `insert into setting (key, value, updated_at) values ($1, $2::jsonb, to_timestamp($3::float8 / 1000))
     on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at`,
    [SETTING, JSON.stringify({ hash }), nowMs],
  );
}
