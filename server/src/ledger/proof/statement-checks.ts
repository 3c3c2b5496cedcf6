/** Runs all checks of the list in one snapshot, so that a proof may run while money moves. */

import type { Queryable } from '../../platform/db/database.ts';
import { FAULTS, SEEN } from './ask-checks-sql.ts';
import type { ProofCheck } from './checks-sql.ts';
import type { CheckResult } from './proof.ts';
import type { RowsToRead } from './rows-to-read-sql.ts';
export const NOTHING_FOUND = 'nothing found against it';
export const NOTHING_TO_CHECK = 'nothing to check';

export async function askChecks(
  tx: Queryable,
  checks: readonly ProofCheck[],
  from: RowsToRead,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checks) results.push(await ask(tx, check, from));
  return results;
}

async function ask(tx: Queryable, check: ProofCheck, from: RowsToRead): Promise<CheckResult> {
  const { id, name } = check;
  const found = await FAULTS(check, from).rows(tx);
  if (found.length > 0) {
    const shown = found.map(
      (fault) => `${fault.about}: ${fault.written ?? 'nothing'} instead of ${fault.expected ?? 'nothing'}`,
    );
    return { id, name, result: 'failed', detail: toldFaults(Number(found[0]?.total), shown) };
  }
  const looked = await SEEN(check, from).only(tx);
  const any = looked.seen > 0n;
  return { id, name, result: any ? 'ok' : 'nothing', detail: any ? NOTHING_FOUND : NOTHING_TO_CHECK };
}

export function toldFaults(total: number, such: readonly string[]): string {
  return `${total} ${total === 1 ? 'fault' : 'faults'}, such as ${such.join('; ')}`;
}
