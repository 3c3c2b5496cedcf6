/**
 * A cache that forgets what was used least recently, beyond `max` entries. With `max` the library would make room for all of them at
 * once, and the caches of an idle gateway took 10 MB; bounded by size, every entry counting one, it grows with what it holds.
 */
import { LRUCache } from 'lru-cache';

const one = (): number => 1;

export function boundedCache<V extends {}>(
  max: number,
  options: Pick<LRUCache.Options<string, V, unknown>, 'dispose'> = {},
): LRUCache<string, V> {
  return new LRUCache<string, V>({ ...options, maxSize: max, sizeCalculation: one });
}
