/** Randomness by the page: one call into the system's generator serves hundreds of ids. Bytes are given out once. */
import { randomFillSync } from 'node:crypto';
import type { RandomBytes } from '../core/ids.ts';

const PAGE_BYTES = 8_192;

export function createRandomPool(): RandomBytes {
  let page = Buffer.alloc(0);
  let used = 0;
  return (count) => {
    if (count > PAGE_BYTES) return randomFillSync(Buffer.alloc(count));
    if (used + count > page.length) {
      // A new page, because what was handed out still refers to the old one.
      page = randomFillSync(Buffer.alloc(PAGE_BYTES));
      used = 0;
    }
    used += count;
    return page.subarray(used - count, used);
  };
}
