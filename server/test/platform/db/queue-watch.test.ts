import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createBackground } from '../../../src/platform/background.ts';
import { type Database, QueueWatch } from '../../../src/platform/db/index.ts';
import { recordedLog } from '../../services/silent-log.ts';

const A_SECOND = 1_000;
const NOW_MS = 1_700_000_000_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A database in which the queues of these tables have work, and the statements it was asked. */
function databaseWith(full: Set<string>) {
  const asked: { text: string; values: readonly unknown[]; name: string | undefined }[] = [];
  const query = async (text: string, values: readonly unknown[] = [], options?: { name?: string }) => {
    asked.push({ text, values, name: options?.name });
    const looks = [...text.matchAll(/exists \(select from (\w+)[^)]*\) as "(\d+)"/g)];
    return [Object.fromEntries(looks.map(([, table = '', at]) => [at, full.has(table)]))];
  };
  return { db: { query } as unknown as Database, asked };
}

function watchOver(full: Set<string>) {
  const { db, asked } = databaseWith(full);
  const background = createBackground(recordedLog());
  const watch = new QueueWatch({ db, clock: { now: () => NOW_MS, monotonicMs: () => 0 }, background });
  const began: string[] = [];
  const add = (table: string, terms: { time?: boolean; atOnce?: number; work?: () => Promise<unknown> } = {}) => {
    const text = `select from ${table}${terms.time ? ' where at <= $1' : ''}`;
    const { work = async () => undefined, atOnce } = terms;
    watch.add({
      name: table,
      waiting: { text } as never,
      work: () => {
        began.push(table);
        return work();
      },
      ...(atOnce === undefined ? {} : { atOnce }),
    });
  };
  return { add, asked, began };
}

test('one statement a second asks for all queues, and only those with work begin', async () => {
  const full = new Set(['letters']);
  const { add, asked, began } = watchOver(full);
  add('parcels');
  add('letters', { time: true });
  await vi.advanceTimersByTimeAsync(A_SECOND);
  expect(asked).toHaveLength(1);
  expect(asked[0]?.values).toEqual([new Date(NOW_MS)]);
  expect(began).toEqual(['letters']);
  full.add('parcels');
  await vi.advanceTimersByTimeAsync(A_SECOND);
  expect(asked).toHaveLength(2);
  expect(began).toEqual(['letters', 'parcels', 'letters']);
});

test('nothing is asked without a queue, and no value is given where no queue needs the time', async () => {
  const { add, asked } = watchOver(new Set());
  await vi.advanceTimersByTimeAsync(A_SECOND);
  expect(asked).toEqual([]);
  add('parcels');
  await vi.advanceTimersByTimeAsync(A_SECOND);
  expect(asked).toMatchObject([{ values: [] }]);
});

test('another list of queues is another prepared statement', async () => {
  const { add, asked } = watchOver(new Set());
  add('parcels');
  await vi.advanceTimersByTimeAsync(A_SECOND);
  add('letters');
  await vi.advanceTimersByTimeAsync(2 * A_SECOND);
  const [first, second, third] = asked.map(({ name }) => name);
  expect(first).not.toBe(second);
  expect(second).toBe(third);
});

test('a queue begins no more work than may run at once, and goes on after a failure', async () => {
  const ends: (() => void)[] = [];
  const work = () => new Promise<void>((_, reject) => ends.push(() => reject(new Error('the worker fell'))));
  const { add, began } = watchOver(new Set(['parcels']));
  add('parcels', { atOnce: 2, work });
  await vi.advanceTimersByTimeAsync(3 * A_SECOND);
  expect(began).toHaveLength(2);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(2 * A_SECOND);
  expect(began).toHaveLength(3);
});
