import { describe, expect, it } from 'vitest';
import { IndexedList } from '../../src/core/indexed-list.ts';

const entry = (name: string) => ({ name, position: -1 });

describe('a list of entries that know their places', () => {
  it('fills the gap of a removed entry with the last one', () => {
    const list = new IndexedList<ReturnType<typeof entry>>();
    const [a, b, c] = [entry('a'), entry('b'), entry('c')];
    for (const one of [a, b, c]) list.add(one);
    expect(list.remove(a)).toBe(true);
    expect(list.entries.map(({ name, position }) => `${name}${position}`)).toEqual(['c0', 'b1']);
    expect(list.remove(b)).toBe(true);
    expect(list.remove(c)).toBe(true);
    expect([list.size, a.position, b.position, c.position]).toEqual([0, -1, -1, -1]);
  });

  it('removes an entry once, and takes it again', () => {
    const list = new IndexedList<ReturnType<typeof entry>>();
    const [a, b] = [entry('a'), entry('b')];
    list.add(a);
    list.add(b);
    list.remove(a);
    expect(list.remove(a)).toBe(false);
    expect(list.entries).toEqual([b]);
    list.add(a);
    expect(list.entries).toEqual([b, a]);
  });
});
