/** Passwords that cost nothing to hash, for tests of how often they may be tried. What a hash costs is tried in passwords.test.ts. */
import { hash, randomBytes } from 'node:crypto';
import { Passwords } from '../../src/people/passwords.ts';

/** A hash of half a millisecond, for tests that sign people in. */
export const LITTLE_WORK = { cost: 256, blockSize: 8, parallelization: 1 };

export class QuickPasswords extends Passwords {
  constructor() {
    super(randomBytes);
  }

  override async hash(password: string): Promise<string> {
    return `quick$${hash('sha256', password)}`;
  }

  override async verify(password: string, stored: string | null): Promise<boolean> {
    return stored === `quick$${hash('sha256', password)}`;
  }
}
