/**
 * Replicas that share a database and were given no master key agree on one: the first replica's key goes into the
 * database and all use it. Secrets are then as safe as the database is, as with an embedded one; DARGAH_MASTER_KEY
 * keeps the key apart from them. Without the agreement the last replica to start would encrypt the providers' secrets
 * so that no other could read them.
 */
import { parseTrustedJson } from '../core/json.ts';
import type { Queryable } from './db/index.ts';
import { keepMasterKey, localMasterKey } from './secrets.ts';
import { OFFER_MASTER_KEY, SHARED_MASTER_KEY, WRITE_MASTER_KEY } from './setting-rows.ts';

export async function agreeOnMasterKey(db: Queryable, dataDir: string): Promise<string> {
  const mine = await localMasterKey(dataDir);
  await OFFER_MASTER_KEY.run(db, [JSON.stringify(mine)]);
  const agreed = await readSharedMasterKey(db);
  // The command line on this machine reads it from the folder, without the database.
  if (agreed !== mine) await keepMasterKey(dataDir, agreed);
  return agreed;
}

export async function readSharedMasterKey(db: Queryable): Promise<string> {
  const row = await SHARED_MASTER_KEY.first(db);
  const agreed = parseTrustedJson(row?.value ?? '');
  if (typeof agreed !== 'string') throw new Error('the database holds no master key');
  return agreed;
}

export async function writeSharedMasterKey(db: Queryable, masterKey: string): Promise<void> {
  await WRITE_MASTER_KEY.run(db, [JSON.stringify(masterKey)]);
}
