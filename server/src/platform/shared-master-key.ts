/**
 * The master key of replicas that share a database and were given none: the first one's becomes everybody's, through the
 * database. Secrets are then as safe as the database is, as beside an embedded one; DARGAH_MASTER_KEY keeps them apart.
 * Without it the last replica to start would seal the providers' secrets so that no other could open them.
 */
import { parseTrustedJson } from '../core/json.ts';
import type { Queryable } from './db/index.ts';
import { keepMasterKey, localMasterKey } from './secrets.ts';
import { OFFER_MASTER_KEY, SHARED_MASTER_KEY, WRITE_MASTER_KEY } from './setting-rows.ts';

export async function agreeOnMasterKey(db: Queryable, dataDir: string): Promise<string> {
  const mine = await localMasterKey(dataDir);
  await OFFER_MASTER_KEY.run(db, [JSON.stringify(mine)]);
  const agreed = await readSharedMasterKey(db);
  // The command line on this machine finds it there, without the database.
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
