/** Which bases a caller may see, and the audit log of what it changed. */

import type { AuditLogAct } from '@dargah/core/admin-acts.ts';
import type { JsonObject } from '../core/json.ts';
import type { KeySnapshot } from '../keys/index.ts';
import type { RecordChange } from '../platform/audit-log.ts';
import type { Queryable } from '../platform/db/index.ts';
import { noSuchBase } from './refusals.ts';
import * as bases from './store/base-rows.ts';
import { type LockedBase, lockBase } from './store/posting-rows.ts';

/** The caller: an account with the bases that its key may use, or the operator. */
export interface Reach {
  /** Null for the operator, who sees every account. */
  accountId: string | null;
  /** Null for every base of the account. */
  baseIds: string[] | null;
  key?: KeySnapshot;
  /** The operator as the audit log names them; what an account does with its own bases is not logged. */
  actor?: string;
}

export async function visibleBase(from: Queryable, reach: Reach, id: string): Promise<bases.KnowledgeBase> {
  const base = await bases.selectBase(from, id);
  const seen = base && (reach.accountId === null || base.accountId === reach.accountId);
  if (!base || !seen || (reach.baseIds !== null && !reach.baseIds.includes(id))) throw noSuchBase(id);
  return base;
}

/**
 * Locked, so that one caller at a time changes the content of the base. A caller who may not see a base does not lock
 * it either.
 */
export async function lockVisibleBase(tx: Queryable, reach: Reach, id: string): Promise<LockedBase> {
  if (reach.baseIds !== null && !reach.baseIds.includes(id)) throw noSuchBase(id);
  const base = await lockBase(tx, id, reach.accountId);
  if (!base) throw noSuchBase(id);
  return base;
}

export interface ChangeAudit {
  record: RecordChange;
}

export async function traceChange(
  { record }: ChangeAudit,
  tx: Queryable,
  { actor }: Reach,
  action: AuditLogAct,
  subject: string,
  detail: JsonObject,
): Promise<void> {
  if (actor !== undefined) await record(tx, actor, action, subject, detail);
}
