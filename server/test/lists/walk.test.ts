/** A look through a list without an index: whole where there is time, and honest about where it stopped. */
import { describe, expect, it } from 'vitest';
import { csvLine } from '../../src/core/write-csv.ts';
import { walk } from '../../src/lists/index.ts';
import { wordPatterns } from '../../src/platform/db/search-words.ts';

const ROWS = Array.from({ length: 1_000 }, (_, n) => n);

/** Every step takes so long; every seventh row passes. */
function look(stepMs: number, wanted: number, from: string | null = null) {
  let ms = 0;
  const asked: number[] = [];
  const found = walk({
    clock: { now: () => 0, monotonicMs: () => ms },
    wanted,
    place: from,
    sizes: { first: 50, max: 200 },
    async step(place, size, room) {
      ms += stepMs;
      asked.push(size);
      const start = place === null ? 0 : Number(place) + 1;
      const looked = ROWS.slice(start, start + size);
      const rows = looked.filter((n) => n % 7 === 0).slice(0, room);
      const isFull = rows.length === room;
      const last = isFull ? (rows.at(-1) ?? 0) : (looked.at(-1) ?? 0);
      return { rows, place: !isFull && looked.length < size ? null : String(last), reachedMs: last };
    },
  });
  return { found, asked };
}

describe('the walk', () => {
  it('grows its steps while they are short, and ends with the list', async () => {
    const { found, asked } = look(1, 1_000);
    expect(await found).toMatchObject({ next: null, searchedBackTo: null });
    expect((await found).rows).toHaveLength(143);
    expect(asked.slice(0, 3)).toEqual([50, 100, 200]);
  });

  it('stops when its time is used up and says how far it came; going on finds every row once', async () => {
    const seen: number[] = [];
    let next: string | null = null;
    let rounds = 0;
    do {
      const page: Awaited<ReturnType<typeof look>['found']> = await look(1_000, 1_000, next).found;
      seen.push(...page.rows);
      if (page.next !== null) expect(page.searchedBackTo).toBe(Number(page.next));
      ({ next } = page);
      rounds++;
    } while (next !== null);
    expect(rounds).toBeGreaterThan(3);
    expect(seen).toEqual(ROWS.filter((n) => n % 7 === 0));
  });

  it('a full page says nothing of how far it looked', async () => {
    expect(await look(1_000, 3).found).toEqual({ rows: [0, 7, 14], next: '14', searchedBackTo: null });
  });
});

describe('words of a search', () => {
  it('are the same however they are typed', () => {
    expect(wordPatterns('شركت  علي')).toEqual(['شرکت%', 'علی%']);
    expect(wordPatterns('+98 912 333-4455')).toEqual(['989123334455%']);
    expect(wordPatterns('۰۹۱۲۳۳۳۴۴۵۵')).toEqual(['09123334455%']);
    expect(wordPatterns('100%_')).toEqual(['100\\%\\_%']);
    expect(wordPatterns(' ')).toEqual([]);
  });
});

describe('a line of a file', () => {
  it('is never a formula, and numbers stay numbers', () => {
    const cells = ['=1+1', '+98', '@x', '-5', '-cmd', 'a"b', 'a,b', null, 7, true, '\tx'];
    expect(csvLine(cells)).toBe(`'=1+1,'+98,'@x,-5,'-cmd,"a""b","a,b",,7,true,'\tx\r\n`);
  });
});
