import { expect, it } from 'vitest';
import { createCatalog } from '../../src/catalog/index.ts';
import type { Database } from '../../src/platform/db/index.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import { openTemporaryDatabase } from '../services/embedded-database.ts';
import { eventually } from '../services/eventually.ts';
import { recordedLog } from '../services/silent-log.ts';

const defaultTimeouts = { connectMs: 1, firstEventMs: 1, wholeAnswerMs: 1, idleMs: 1, totalMs: 1 };

it('keeps the last snapshot while the database is away', async () => {
  const { db, remove } = await openTemporaryDatabase();
  const log = recordedLog();
  let away = false;
  let announce = () => {};
  // The real database, with a switch in the wire.
  const wired: Database = {
    ...db,
    query: (text, values) => (away ? Promise.reject(new Error('unreachable')) : db.query(text, values)),
    subscribe: (_topic, onChange) => {
      announce = () => onChange('');
      return () => {};
    },
  };
  await db.query(
    `insert into provider (id, vendor, protocol, base_url, auth, managed_by, created_at, updated_at)
     values ('p', 'p', 'openai-chat', 'http://127.0.0.1:1', 'none', 'operator', now(), now())`,
  );
  const clock = { now: () => 1_800_000_000_000, monotonicMs: () => 0 };
  const catalog = createCatalog({ db: wired, secrets: createSecretBox(Buffer.alloc(32)), clock, log, defaultTimeouts });
  await catalog.reload();
  const before = catalog.current();
  expect(before.providers.has('p')).toBe(true);

  away = true;
  announce();
  await eventually(() => expect(log.lines.some((line) => line.level === 'warn')).toBe(true));
  expect(catalog.current()).toBe(before);
  await expect(catalog.reload()).rejects.toThrow('unreachable');

  away = false;
  await db.query(`delete from provider where id = 'p'`);
  announce();
  await eventually(() => expect(catalog.current().providers.has('p')).toBe(false));
  expect(before.providers.has('p'), 'a snapshot in use never changes').toBe(true);
  catalog.close();
  await remove();
});
