import { describe, expect, it } from 'vitest';
import { isDiskFull, lacksRoom } from '../../../src/platform/db/failures.ts';

describe('a full disk', () => {
  it.each([
    'ErrnoError { name: "ErrnoError", errno: 51 }',
    'ENOSPC: no space left on device, write',
    'No space left on device',
  ])('is recognised in %j', (message) => expect(isDiskFull(message)).toBe(true));

  it('is found in what caused a failure', () => {
    const full = Object.assign(new Error('could not extend file "base/5/16882"'), { code: '53100' });
    expect(lacksRoom(new Error('migration 0001 failed', { cause: full }))).toBe(true);
    expect(lacksRoom(Object.assign(new Error('write'), { code: 'ENOSPC' }))).toBe(true);
    expect(lacksRoom(Object.assign(new Error('relation exists'), { code: '42P07' }))).toBe(false);
    const circle = new Error('a');
    circle.cause = circle;
    expect(lacksRoom(circle)).toBe(false);
  });

  it('is not seen in other failures', () => expect(isDiskFull('ErrnoError { errno: 44 }')).toBe(false));
});
