/** How many rows a query touches, by its plan: a promise about speed that needs no clock. */
import type { Database } from '../../src/platform/db/index.ts';

interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Node Type': string;
  Plans?: Plan[];
}

/** Of the first query that `ask` makes; it is answered as ever. */
export async function rowsReadBy(db: Database, ask: (watched: Database) => Promise<unknown>): Promise<number> {
  const asked: { text: string; values: readonly unknown[] }[] = [];
  const watched = {
    ...db,
    query: (text: string, values: readonly unknown[] = []) => {
      asked.push({ text, values });
      return db.query(text, values);
    },
  } as unknown as Database;
  await ask(watched);
  const [first] = asked;
  if (first === undefined) return 0;
  const [row] = await db.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (analyze, format json) ${first.text}`, [
    ...first.values,
  ]);
  return touchedBy((row as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan);
}

function touchedBy(plan: Plan): number {
  const own = /Scan/.test(plan['Node Type'])
    ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
    : 0;
  return own + (plan.Plans ?? []).reduce((sum, below) => sum + touchedBy(below), 0);
}
