import { describe, expect, it } from 'vitest';
import { minorsAhead, VERSION } from '../../src/core/version.ts';
import type { Migration } from '../../src/platform/db/migration-files.ts';
import { type Applied, refuseSchema } from '../../src/platform/db/schema-refusal.ts';

const OURS: Migration[] = [1, 2, 7, 9].map((number) => ({
  number,
  name: `000${number}_x.sql`,
  sql: '',
  hash: `hash ${number}`,
}));
const RELEASED = { '0.1.0': { '0001_x.sql': 'hash 1', '0002_x.sql': 'hash 2', '0007_x.sql': 'hash 7' } };

const applied = (...rows: [number: number, hash: string, version?: string][]): Applied =>
  new Map(rows.map(([number, hash, version = null]) => [number, { number, name: `${number}.sql`, hash, version }]));
const of010 = [
  [1, 'hash 1'],
  [2, 'hash 2'],
  [7, 'hash 7'],
] as [number, string][];
const refusal = (database: Applied) => {
  try {
    refuseSchema(database, OURS, RELEASED);
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
};

const [major = 0, minor = 0] = VERSION.split('.').map(Number);
const ahead = (minors: number) => `${major}.${minor + minors}.3`;
const BEFORE_0_1_0 =
  'This database was made by a state before 0.1.0 that was never released. Nothing was changed. Go on with that state, or start with an empty database.';

describe('a database', () => {
  it('that is empty, of 0.1.0, half upgraded or of this version is taken', () => {
    expect(refusal(applied())).toBeUndefined();
    expect(refusal(applied(...of010.slice(0, 2)))).toBeUndefined();
    expect(refusal(applied(...of010))).toBeUndefined();
    expect(refusal(applied(...of010, [9, 'hash 9', VERSION]))).toBeUndefined();
  });

  it('with another file under a number of 0.1.0 is refused in one sentence', () => {
    expect(refusal(applied([1, 'hash 1'], [2, 'of bf88401'], [7, 'hash 7']))).toBe(BEFORE_0_1_0);
  });

  it('with a file between those of 0.1.0 that no release has is refused alike', () => {
    expect(refusal(applied(...of010, [5, 'once there']))).toBe(BEFORE_0_1_0);
  });

  it('with an older form of a file that is not released is refused by its name', () => {
    expect(refusal(applied(...of010, [9, 'draft', VERSION]))).toContain('0009_x.sql');
  });

  it('of one minor above is taken: that is the way back', () => {
    expect(refusal(applied(...of010, [20, 'later', VERSION], [30, 'later still', ahead(1)]))).toBeUndefined();
  });

  it('of two minors above, of another major or of nobody is refused with both versions', () => {
    const two = refusal(applied(...of010, [20, 'later', ahead(1)], [30, 'later still', ahead(2)]));
    expect(two).toContain(ahead(2));
    expect(two).toContain(`this is ${VERSION}`);
    expect(two).toContain('Nothing was changed.');
    expect(refusal(applied(...of010, [20, 'later', `${major + 1}.0.0`]))).toContain(`${major + 1}.0.0`);
    expect(refusal(applied(...of010, [20, 'later']))).toContain('does not know');
  });

  it('is refused on one line', () => {
    for (const database of [applied([2, 'other']), applied([20, 'later', ahead(2)]), applied([9, 'draft'])])
      expect(refusal(database)?.split('\n')).toHaveLength(1);
  });
});

describe('minorsAhead', () => {
  it.each([
    ['0.1.0', '0.2.0', 0],
    ['0.2.9', '0.2.0', 0],
    ['0.3.0', '0.2.0', 1],
    ['0.10.0', '0.9.0', 1],
    ['0.4.0', '0.2.7', 2],
    ['1.0.0', '0.9.0', Number.POSITIVE_INFINITY],
    ['0.9.0', '1.0.0', 0],
    ['nonsense', '0.2.0', Number.POSITIVE_INFINITY],
  ])('%s over %s is %d', (other, own, expected) => expect(minorsAhead(other, own)).toBe(expected));
});
