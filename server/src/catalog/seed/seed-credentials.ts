/**
 * Secrets from the environment and the YAML file: compared in clear text, written encrypted, and deleted when their
 * source is gone.
 */
import { namePartOf } from '../../core/cloud-credentials.ts';
import { makeShortId } from '../../core/ids.ts';
import type { Queryable } from '../../platform/db/index.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import type { DeclaredProvider } from './declared.ts';
import type { Managed } from './desired.ts';
import { DELETE_SEEDED_SECRETS, SEED_SECRETS, SEEDED_SECRETS, type StoredSecret } from './seed-rows.ts';
import type { SeedTools } from './seed-tools.ts';

/**
 * The end of a long secret is shown, and of one with several parts the end of its name. Four characters of a short
 * secret would help to guess it.
 */
const MIN_SHOWN_CHARS = 16;

export function lastFour(secret: string): string | null {
  const shown = namePartOf(secret) ?? secret;
  return shown.length < MIN_SHOWN_CHARS ? null : shown.slice(-4);
}

export async function secretsMatch(
  tx: Queryable,
  providers: Managed<DeclaredProvider>[],
  secrets: SecretBox,
): Promise<boolean> {
  const stored = openedByProvider(await SEEDED_SECRETS.rows(tx), secrets);
  const wanted = new Map(
    providers.filter((one) => one.secrets.length > 0).map((one) => [one.id, [...one.secrets].sort().join('\n')]),
  );
  if (stored === undefined || stored.size !== wanted.size) return false;
  for (const [provider, text] of wanted) if (stored.get(provider) !== text) return false;
  return true;
}

/** Returns undefined when one cannot be decrypted; then all are written again. */
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
  await DELETE_SEEDED_SECRETS.run(tx);
  const rows = providers.flatMap((provider) =>
    provider.secrets.map((secret) => {
      const id = makeShortId('cred', now, randomBytes);
      const sealed = secrets.seal(secret);
      return { id, provider_id: provider.id, sealed, last4: lastFour(secret), managed_by: provider.managedBy };
    }),
  );
  await SEED_SECRETS.run(tx, [JSON.stringify(rows), now]);
}
