import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RecentMap } from '../../src/keys/recent-map.ts';

it('gives every used entry a second chance, as a slow list would', () => {
  const action = fc.record({ kind: fc.constantFrom('get', 'set', 'delete'), key: fc.integer({ min: 0, max: 8 }) });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const forgotten: number[] = [];
      const map = new RecentMap<number, number>(4, (value) => forgotten.push(value));
      let list: { key: number; used: boolean }[] = [];
      for (const { kind, key } of actions) {
        const known = list.find((item) => item.key === key);
        if (kind === 'get') {
          expect(map.get(key)).toBe(known ? key : undefined);
          if (known) known.used = true;
          continue;
        }
        if (kind === 'set') map.set(key, key);
        else map.delete(key);
        list = list.filter((item) => item !== known);
        if (kind === 'set' && list.length === 4) {
          while (list[0]?.used) list.push({ key: (list.shift() as { key: number }).key, used: false });
          expect(forgotten.pop()).toBe(list.shift()?.key);
        }
        if (kind === 'set') list.push({ key, used: false });
        expect([...map.values()]).toEqual(list.map((item) => item.key));
      }
      expect(map.size).toBe(list.length);
    }),
  );
});

it('keeps what is in use while strangers come and go', () => {
  const map = new RecentMap<string, number>(10);
  map.set('in use', 1);
  for (let i = 0; i < 1_000; i++) {
    map.set(`stranger ${i}`, i);
    expect(map.get('in use')).toBe(1);
  }
});
