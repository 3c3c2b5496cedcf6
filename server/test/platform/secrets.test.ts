import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSecretBox, openSecretBox, SecretRefused } from '../../src/platform/secrets.ts';

const box = createSecretBox(Buffer.alloc(32, 1));

function refusal(open: () => string): string {
  try {
    open();
  } catch (error) {
    if (error instanceof SecretRefused) return error.reason;
    throw error;
  }
  return 'opened';
}

describe('sealed secrets', () => {
  it('open to what was sealed, and never look the same twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const sealed = box.seal(text);
        expect(box.open(sealed)).toBe(text);
        expect(box.seal(text)).not.toBe(sealed);
      }),
    );
  });

  it('do not open when any bit was changed', () => {
    const sealed = box.seal('sk-secret');
    const [version, keyId, body = ''] = sealed.split('.');
    const bytes = Buffer.from(body, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(refusal(() => box.open(`${version}.${keyId}.${changed.toString('base64url')}`))).toBe('tampered');
    }
  });

  it('say which cure is needed: another master key, or not a sealed secret at all', () => {
    const other = createSecretBox(Buffer.alloc(32, 2));
    expect(refusal(() => other.open(box.seal('x')))).toBe('other-master-key');
    for (const text of ['', 'sk-plain', 'v2.00000000.AAAA', 'v1.00000000.', 'v1.00000000.AAAA']) {
      expect(refusal(() => box.open(text))).toBe('format');
    }
  });
});

describe('master key', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'dargah-secret-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it('is made once, by whoever comes first, readable by its owner only', async () => {
    const boxes = await Promise.all([1, 2, 3].map(() => openSecretBox({ masterKey: undefined, dataDir })));
    const sealed = boxes[0]?.seal('one for all') ?? '';
    for (const each of boxes) expect(each.open(sealed)).toBe('one for all');
    expect((await openSecretBox({ masterKey: undefined, dataDir })).open(sealed)).toBe('one for all');
    expect((await stat(join(dataDir, 'master.key'))).mode & 0o777).toBe(0o600);
  });

  it('from the environment comes first, and must be 32 bytes', async () => {
    const masterKey = Buffer.alloc(32, 1).toString('base64');
    expect((await openSecretBox({ masterKey, dataDir })).open(box.seal('x'))).toBe('x');
    await expect(openSecretBox({ masterKey: 'c2hvcnQ=', dataDir })).rejects.toThrow('DARGAH_MASTER_KEY');
    await writeFile(join(dataDir, 'master.key'), 'torn');
    await expect(openSecretBox({ masterKey: undefined, dataDir })).rejects.toThrow('master.key');
  });
});
