import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSecretBox } from '../../src/platform/secrets.ts';
import { agreeOnMasterKey } from '../../src/platform/shared-master-key.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';

let database: TemporaryDatabase;
let folder: string;
beforeAll(async () => {
  database = await openTemporaryDatabase();
  folder = await mkdtemp(join(tmpdir(), 'dargah-keys-'));
});
afterAll(async () => {
  await database.remove();
  await rm(folder, { recursive: true, force: true });
});

it('replicas of one database open what another sealed, also when they start at once', async () => {
  const replicas = ['one', 'two', 'three'].map((name) => join(folder, name));
  const keys = await Promise.all(replicas.map((dataDir) => agreeOnMasterKey(database.db, dataDir)));
  const boxes = await Promise.all(keys.map((masterKey) => openSecretBox({ masterKey, dataDir: folder })));
  for (const box of boxes) expect(boxes[0]?.open(box.seal('a secret'))).toBe('a secret');
  // The next start and the command line find the same key beside the data.
  for (const dataDir of replicas) expect((await readFile(join(dataDir, 'master.key'), 'utf8')).trim()).toBe(keys[0]);
});
