/** What is demanded about data where no key asks: indexing, and searches of the console. */
import { bothDemands, type DataDemand } from '@dargah/core/data-policy.ts';
import type { Queryable } from '../platform/db/index.ts';
import { selectDemandingRules } from './key-rows.ts';

/**
 * All that the account's keys demand together: texts of a base go only where every key that may use the base would let
 * them go. Undefined: nothing is demanded.
 */
export async function demandOfKeys(
  db: Queryable,
  accountId: string,
  baseIds: readonly string[],
): Promise<DataDemand | undefined> {
  const demanding = (await selectDemandingRules(db, accountId)).filter(
    ({ knowledgeBases }) => knowledgeBases === null || baseIds.some((id) => knowledgeBases.includes(id)),
  );
  return demanding
    .map(({ dataPolicy }): DataDemand => dataPolicy)
    .reduce<DataDemand | undefined>((all, one) => (all ? bothDemands(all, one) : one), undefined);
}
