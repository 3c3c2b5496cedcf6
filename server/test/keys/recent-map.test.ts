import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RecentMap } from '../../src/keys/recent-map.ts';

it('holds exactly the most recently used, as a slow list would', () => {
  const action = fc.record({ kind: fc.constantFrom('get', 'set', 'delete'), key: fc.integer({ min: 0, max: 8 }) });
  fc.assert(
    fc.property(fc.array(action), (actions) => {
      const forgotten: number[] = [];
      const map = new RecentMap<number, number>(4, (value) => forgotten.push(value));
      let list: number[] = [];
      for (const { kind, key } of actions) {
        const known = list.includes(key);
        if (kind === 'get') expect(map.get(key)).toBe(known ? key : undefined);
        if (kind === 'set') map.set(key, key);
        if (kind === 'delete') map.delete(key);
        list = list.filter((item) => item !== key);
        if (kind === 'set' || (kind === 'get' && known)) list.push(key);
        if (list.length > 4) expect(forgotten.pop()).toBe(list.shift());
        expect([...map.values()]).toEqual(list);
      }
      expect(map.size).toBe(list.length);
    }),
  );
});
