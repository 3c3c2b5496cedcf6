/**
 * Encrypts everything again with the current master key. Encrypted texts are found by their form, in every column of
 * text or JSON, so that no table can be forgotten. It works in small batches, so that nobody waits for a lock.
 */
import type { Database } from './db/index.ts';
import { COLUMNS_THAT_MAY_BE_SEALED, REPLACE_SEALED, SEALED_WITH_OTHER_KEY, type SealedColumn } from './reseal-sql.ts';
import type { SecretBox } from './secrets.ts';

export interface Resealed {
  resealed: number;
  /** Texts encrypted under a key that no longer exists stay as they are. */
  unreadable: number;
}

const SEALED = /v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]{38,}/g;
const SEALED_SQL = 'v1\\.[0-9a-f]{8}\\.[A-Za-z0-9_-]{38,}';

export async function resealAll(db: Database, secrets: SecretBox): Promise<Resealed> {
  const total: Resealed = { resealed: 0, unreadable: 0 };
  for (const column of await COLUMNS_THAT_MAY_BE_SEALED.rows(db)) {
    const found = await resealColumn(db, column, secrets);
    total.resealed += found.resealed;
    total.unreadable += found.unreadable;
  }
  return total;
}

async function resealColumn(db: Database, column: SealedColumn, secrets: SecretBox): Promise<Resealed> {
  const total: Resealed = { resealed: 0, unreadable: 0 };
  const unreadable: string[] = [];
  for (;;) {
    const rows = await SEALED_WITH_OTHER_KEY(column).rows(db, [`${secrets.label}.`, SEALED_SQL, unreadable]);
    if (rows.length === 0) return total;
    for (const { at, value } of rows) {
      const before = total.unreadable;
      const next = anew(value, secrets, total);
      if (total.unreadable > before) unreadable.push(at);
      if (next === value) continue;
      // Where somebody changed it meanwhile, the newer value is looked at in the next round.
      await REPLACE_SEALED(column).run(db, [next, at, value]);
    }
  }
}

function anew(value: string, secrets: SecretBox, total: Resealed): string {
  return value.replace(SEALED, (sealed) => {
    if (sealed.startsWith(`${secrets.label}.`)) return sealed;
    try {
      const next = secrets.seal(secrets.open(sealed));
      total.resealed++;
      return next;
    } catch {
      total.unreadable++;
      return sealed;
    }
  });
}
