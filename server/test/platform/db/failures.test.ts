import { describe, expect, it } from 'vitest';
import { isDiskFull } from '../../../src/platform/db/failures.ts';

describe('a full disk', () => {
  it.each([
    'ErrnoError { name: "ErrnoError", errno: 51 }',
    'ENOSPC: no space left on device, write',
    'No space left on device',
  ])('is recognised in %j', (message) => expect(isDiskFull(message)).toBe(true));

  it('is not seen in other failures', () => expect(isDiskFull('ErrnoError { errno: 44 }')).toBe(false));
});
