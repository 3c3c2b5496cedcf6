import { describe, expect, it } from 'vitest';
import { AccountTags } from '../../src/gateway/settle/account-tags.ts';
import { testClock } from '../ledger/request-fixture.ts';

describe('the tags of an account', () => {
  it('count up to a bound a day, the rest as other, and anew the next day; another account has its own', () => {
    const clock = testClock();
    const tags = new AccountTags(clock, 2);
    expect(tags.counted('a', ['x', 'y'])).toEqual(['x', 'y']);
    expect(tags.counted('a', ['x', 'z', 'w'])).toEqual(['x', 'other']);
    expect(tags.counted('b', ['z'])).toEqual(['z']);
    clock.advance(24 * 3_600_000);
    expect(tags.counted('a', ['z'])).toEqual(['z']);
  });
});
