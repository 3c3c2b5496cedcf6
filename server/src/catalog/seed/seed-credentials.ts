/** Secrets from the environment and the YAML file: compared in the open, written sealed, and gone when their source is gone. */
import { namePartOf } from '../../core/cloud-credentials.ts';
import { makeId } from '../../core/ids.ts';
import type { Queryable } from '../../platform/db/index.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import type { DeclaredProvider } from './declared.ts';
import type { Managed } from './desired.ts';
import type { SeedTools } from './seed-tools.ts';

/** Of a secret with several parts, those of its name. Of a long one only: four characters of a short one would help to guess it. */
const SHORTEST_SHOWN = 16;

export function lastFour(secret: string): string | null {
  const shown = namePartOf(secret) ?? secret;
  return shown.length < SHORTEST_SHOWN ? null : shown.slice(-4);
}

interface StoredSecret {
  id: string;
  provider_id: string;
  sealed: string;
}

/** Only what start-up itself wrote; credentials the operator added are left alone. */
async function storedSecrets(tx: Queryable): Promise<StoredSecret[]> {
  return tx.query<StoredSecret>(
    `select id, provider_id, sealed from provider_credential where managed_by <> 'operator' order by provider_id, id`,
  );
}

export async function secretsMatch(
  tx: Queryable,
  providers: Managed<DeclaredProvider>[],
  secrets: SecretBox,
): Promise<boolean> {
  const stored = openedByProvider(await storedSecrets(tx), secrets);
  const wanted = new Map(
    providers.filter((one) => one.secrets.length > 0).map((one) => [one.id, [...one.secrets].sort().join('\n')]),
  );
  if (stored === undefined || stored.size !== wanted.size) return false;
  for (const [provider, text] of wanted) if (stored.get(provider) !== text) return false;
  return true;
}

/** undefined when one cannot be opened: then all are written anew. */
function openedByProvider(rows: StoredSecret[], secrets: SecretBox): Map<string, string> | undefined {
  const lists = new Map<string, string[]>();
  for (const row of rows) {
    try {
      const list = lists.get(row.provider_id) ?? [];
      list.push(secrets.open(row.sealed));
      lists.set(row.provider_id, list);
    } catch {
      return undefined;
    }
  }
  return new Map([...lists].map(([provider, list]) => [provider, list.sort().join('\n')]));
}

export async function seedCredentials(
  tx: Queryable,
  providers: Managed<DeclaredProvider>[],
  { secrets, clock, randomBytes }: SeedTools,
): Promise<void> {
  const now = clock.now();
  await tx.query(`delete from provider_credential where managed_by <> 'operator'`);
  const rows = providers.flatMap((provider) =>
    provider.secrets.map((secret) => {
      const id = makeId('cred', now, randomBytes);
      const sealed = secrets.seal(secret);
      return { id, provider_id: provider.id, sealed, last4: lastFour(secret), managed_by: provider.managedBy };
    }),
  );
  // An operator's own provider of the same id keeps only the operator's credentials.
  await tx.query(
    `insert into provider_credential (id, provider_id, sealed, last4, managed_by, created_at)
     select r.*, to_timestamp($2::float8 / 1000)
     from jsonb_to_recordset($1::jsonb) as r(id text, provider_id text, sealed text, last4 text, managed_by text)
     join provider p on p.id = r.provider_id and p.managed_by <> 'operator'`,
    [JSON.stringify(rows), now],
  );
}
