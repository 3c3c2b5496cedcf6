import { expect, test } from 'vitest';
import { boundedCache } from '../../src/platform/bounded-cache.ts';

test('holds as many entries as allowed and forgets the least recently used', () => {
  const cache = boundedCache<number>(3);
  for (const [name, value] of Object.entries({ a: 1, b: 2, c: 3 })) cache.set(name, value);
  cache.get('a');
  cache.set('c', 4);
  cache.set('d', 5);
  expect([...cache.keys()].sort()).toEqual(['a', 'c', 'd']);
  expect(cache.get('c')).toBe(4);
});

test('tells which entries it forgot', () => {
  const forgotten: string[] = [];
  const cache = boundedCache<number>(1, { dispose: (_value, name) => forgotten.push(name) });
  cache.set('a', 1);
  cache.set('b', 2);
  expect(forgotten).toEqual(['a']);
});
