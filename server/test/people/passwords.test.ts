/** Where passwords are hashed and how many may wait; how long it takes is measured by bench/sign-ins.mjs. @process own */
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { Passwords } from '../../src/people/passwords.ts';

/** On this thread every way to hash a password throws: whatever is hashed all the same was hashed elsewhere. */
vi.mock('node:crypto', async (original) => {
  const refuse = () => {
    throw new Error('hashed on the thread that answers requests');
  };
  return { ...(await original<object>()), scryptSync: refuse, scrypt: refuse, pbkdf2: refuse, pbkdf2Sync: refuse };
});

const PLACES = 32;
const passwords = new Passwords(randomBytes);
const quick = new Passwords(randomBytes, { cost: 1024, blockSize: 8, parallelization: 1 });
afterAll(() => Promise.all([passwords.close(), quick.close()]));
const overloaded = { code: 'overloaded', options: { retryAfterMs: 5_000 } };

describe('passwords', { timeout: 120_000 }, () => {
  it('are hashed and checked on a thread of their own', async () => {
    const stored = await passwords.hash('correct horse battery');
    expect(stored).toMatch(/^scrypt\$32768\$8\$3\$/);
    expect(stored).not.toContain('horse');
    expect(await passwords.verify('correct horse battery', stored)).toBe(true);
    expect(await passwords.verify('correct horse', stored)).toBe(false);
    expect(await passwords.verify('correct horse battery', null)).toBe(false);
    expect(await passwords.hash('correct horse battery')).not.toBe(stored);
  });

  it('are the same however their letters were composed', async () => {
    const stored = await passwords.hash('caf\u00e9 \u0622\u0628');
    expect(await passwords.verify('cafe\u0301 \u0627\u0653\u0628', stored)).toBe(true);
  });

  it('wait in a queue that has an end; whoever comes later is told when to come back', async () => {
    const all = await Promise.allSettled(Array.from({ length: PLACES + 8 }, () => quick.hash('x')));
    const refused = all.filter((one) => one.status === 'rejected');
    expect(refused).toHaveLength(8);
    for (const { reason } of refused) expect(reason).toMatchObject(overloaded);
  });

  it('are not even looked up for whoever finds no place', async () => {
    const open: (() => void)[] = [];
    const waiting = Array.from({ length: PLACES }, () =>
      passwords.admit(() => new Promise<void>((resolve) => open.push(resolve))),
    );
    let worked = false;
    const late = passwords.admit(async () => {
      worked = true;
    });
    await expect(late).rejects.toMatchObject(overloaded);
    expect(worked).toBe(false);
    for (const leave of open) leave();
    await Promise.all(waiting);
    expect(await passwords.admit(async () => 'in')).toBe('in');
  });

  it('that wait when their thread ends are told, and the next start another', async () => {
    const waiting = Promise.allSettled([passwords.hash('a'), passwords.hash('b')]);
    await passwords.close();
    for (const one of await waiting) expect(one.status === 'rejected' && one.reason).toMatchObject(overloaded);
    expect(await passwords.verify('c', await passwords.hash('c'))).toBe(true);
  });

  it('are hashed nowhere else in the sources', async () => {
    const folder = fileURLToPath(new URL('../../src/', import.meta.url));
    const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
    const hashing = await Promise.all(
      files.map(async (name) => (/\b(scrypt|pbkdf2)(Sync)?\(/.test(await readFile(folder + name, 'utf8')) ? name : '')),
    );
    expect(hashing.filter(Boolean)).toEqual(['people/password.worker.ts']);
  });
});
