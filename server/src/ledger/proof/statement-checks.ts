/** Asks the checks of the list, all of them of one snapshot, so that a proof may run while money moves. */
import type { Queryable } from '../../platform/db/database.ts';
import type { ProofCheck } from './checks.ts';
import type { CheckResult } from './proof.ts';
import type { RowsToRead } from './rows-to-read.ts';

const MAX_SHOWN = 5;
export const NOTHING_FOUND = 'nothing found against it';
export const NOTHING_TO_CHECK = 'nothing to check';

interface Fault {
  about: string;
  written: string | null;
  expected: string | null;
  total: bigint;
}

export async function askChecks(
  tx: Queryable,
  checks: readonly ProofCheck[],
  from: RowsToRead,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checks) results.push(await ask(tx, check, from));
  return results;
}

async function ask(tx: Queryable, { id, name, seen, faults }: ProofCheck, from: RowsToRead): Promise<CheckResult> {
  const found = await tx.query<Fault>(
    `select *, count(*) over () as total from (${faults(from)}) as fault limit ${MAX_SHOWN}`,
  );
  if (found.length > 0) {
    const shown = found.map(
      (fault) => `${fault.about}: ${fault.written ?? 'nothing'} instead of ${fault.expected ?? 'nothing'}`,
    );
    return { id, name, result: 'failed', detail: toldFaults(Number(found[0]?.total), shown) };
  }
  const [looked] = await tx.query<{ seen: bigint }>(seen(from));
  const any = (looked?.seen ?? 0n) > 0n;
  return { id, name, result: any ? 'ok' : 'nothing', detail: any ? NOTHING_FOUND : NOTHING_TO_CHECK };
}

export function toldFaults(total: number, such: readonly string[]): string {
  return `${total} ${total === 1 ? 'fault' : 'faults'}, such as ${such.join('; ')}`;
}
