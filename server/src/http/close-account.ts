/**
 * Closes an account for good, by its owner or by staff: none of its credentials works any more; its books and its log
 * stay.
 */
import type { AccountService } from '../accounts/index.ts';
import { forgetFiles } from '../batches/index.ts';
import { forgetClaims } from '../idempotency/index.ts';
import { forgetClientSecrets, type KeyService } from '../keys/index.ts';
import type { People } from '../people/index.ts';
import { forgetPictures } from '../pictures/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import type { RequestTexts } from '../requestlog/index.ts';
import type { ResponseCache } from '../responsecache/index.ts';
import { forgetResponses } from '../responses/index.ts';

export interface ClosingServices {
  accounts: AccountService;
  keys: KeyService;
  people: People;
  /** Deletes what its people sent to models and received. */
  forgetTexts(accountId: string): Promise<void>;
}

/** Deletes texts of requests, stored responses, kept and cached answers, files, batches and pictures. */
export function textForgetter(
  texts: RequestTexts,
  cache: ResponseCache,
  db: Queryable,
): ClosingServices['forgetTexts'] {
  return async (accountId) => {
    await cache.empty(accountId);
    await texts.forget(accountId);
    await forgetResponses(db, accountId);
    await forgetClaims(db, accountId);
    await forgetFiles(db, accountId);
    await forgetClientSecrets(db, accountId);
    await forgetPictures(db, accountId);
  };
}

/** Returns how many keys were revoked. `check` may refuse, in the transaction that closes. */
export async function closeForGood(
  { accounts, keys, people, forgetTexts }: ClosingServices,
  id: string,
  { actor, reason, check }: { actor: string; reason?: string; check?(tx: Queryable): Promise<void> },
): Promise<number> {
  let revoked = 0;
  const end = async (tx: Queryable) => {
    await check?.(tx);
    revoked = await keys.revokeAllWithin(tx, id, actor);
    await people.managementKeys.revokeAllWithin(tx, id, actor);
    await people.members.withdrawAllWithin(tx, id);
  };
  await accounts.close(id, actor, end, reason);
  await forgetTexts(id);
  return revoked;
}
