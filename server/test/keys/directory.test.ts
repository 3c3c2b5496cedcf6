import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountService, createAccountService } from '../../src/accounts/index.ts';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { createKeyDirectory, createKeyService, DEFAULT_CALENDAR, type KeyService } from '../../src/keys/index.ts';
import { makeKeyText } from '../../src/keys/key-text.ts';
import { type Database, migrate, openDatabase } from '../../src/platform/db/index.ts';
import { eventually } from '../services/eventually.ts';
import { type PostgresService, postgresMissing, startPostgres } from '../services/postgres.ts';
import { recordedLog } from '../services/silent-log.ts';

/** Counts the questions a directory asks, and can refuse them as an unreachable server would. */
function watched(db: Database) {
  const watch = { questions: 0, down: false };
  const query: Database['query'] = async (text, values, options) => {
    watch.questions++;
    if (watch.down) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    return db.query(text, values, options);
  };
  return { watch, db: { query, subscribe: db.subscribe } };
}

function handClock(): Clock & { advance(ms: number): void } {
  let nowMs = 1_000_000;
  return {
    now: () => nowMs,
    monotonicMs: () => nowMs,
    advance(ms) {
      nowMs += ms;
    },
  };
}

describe.skipIf(postgresMissing())('key directory', () => {
  let service: PostgresService;
  let here: Database;
  let there: Database;
  let keys: KeyService;
  let accounts: AccountService;

  beforeAll(async () => {
    service = await startPostgres();
    const databaseUrl = await service.createDatabase();
    const open = () => openDatabase({ databaseUrl, dataDir: '', log: recordedLog(), clock: systemClock });
    [here, there] = [await open(), await open()];
    await migrate(here);
    // Changes are made on one replica, keys are looked up on the other.
    keys = createKeyService({ db: here, clock: systemClock, randomBytes });
    accounts = createAccountService({ db: here, clock: systemClock, randomBytes, defaultCalendar: DEFAULT_CALENDAR });
    await accounts.create({ id: 'acme', name: 'Acme', rules: { rpm: 600 } }, 'test');
  });
  afterAll(async () => {
    await Promise.all([here?.close(), there?.close()]);
    await service?.remove();
  });

  /** Resolves when the replica that looks keys up has heard of the new one, so that the message disturbs nothing later. */
  async function newKey(rules = {}) {
    const heard = new Set<string>();
    const stop = there.subscribe(
      'key',
      (id) => heard.add(id),
      () => {},
    );
    const made = await keys.create({ accountId: 'acme', name: 'k', rules }, 'test');
    await eventually(() => expect(heard).toContain(made.key.id));
    stop();
    return made;
  }

  it('answers a key it has seen at once, without a promise or a question', async () => {
    const { watch, db } = watched(there);
    const directory = createKeyDirectory({ db, clock: handClock() });
    const { key, text } = await newKey({ rpm: 5 });
    const first = await directory.find(text);
    expect(first).toMatchObject({ id: key.id, rules: { rpm: 5 }, account: { id: 'acme', rules: { rpm: 600 } } });
    expect(directory.find(text)).toBe(first);
    expect(watch.questions).toBe(1);
    directory.close();
  });

  it('asks once for many who want the same key at the same time', async () => {
    const { watch, db } = watched(there);
    const directory = createKeyDirectory({ db, clock: handClock() });
    const { text } = await newKey();
    const found = await Promise.all(Array.from({ length: 50 }, () => directory.find(text)));
    expect(new Set(found).size).toBe(1);
    expect(watch.questions).toBe(1);
    directory.close();
  });

  it('hears of changes made on another replica: rules, pause, account, rotation, revocation', async () => {
    const directory = createKeyDirectory({ db: there, clock: handClock() });
    const { key, text } = await newKey({ rpm: 5 });
    const seen = async () => {
      return await directory.find(text);
    };
    expect(await seen()).toMatchObject({ rules: { rpm: 5, paused: false } });
    await keys.update(key.id, { rules: { rpm: 6 } }, 'test');
    await eventually(async () => expect(await seen()).toMatchObject({ rules: { rpm: 6 } }));
    await keys.pause(key.id, true, 'test');
    await eventually(async () => expect(await seen()).toMatchObject({ rules: { rpm: 6, paused: true } }));
    await accounts.update('acme', { rules: { rpm: 700 } }, 'test');
    await eventually(async () => expect(await seen()).toMatchObject({ account: { rules: { rpm: 700 } } }));
    const rotated = await keys.rotate(key.id, 'test');
    await eventually(async () => expect(await seen()).toBe('unknown'));
    expect(await directory.find(rotated.text)).toMatchObject({ id: key.id });
    await keys.revoke(key.id, 'test');
    await eventually(async () => expect(await directory.find(rotated.text)).toBe('unknown'));
    directory.close();
  });

  it('remembers for a moment that a key is unknown, and forgets it when a key is made', async () => {
    const { watch, db } = watched(there);
    const clock = handClock();
    const directory = createKeyDirectory({ db, clock });
    const text = makeKeyText(randomBytes);
    expect(await directory.find(text)).toBe('unknown');
    expect(directory.find(text)).toBe('unknown');
    expect(watch.questions).toBe(1);
    clock.advance(5_000);
    expect(await directory.find(text)).toBe('unknown');
    expect(watch.questions).toBe(2);
    await keys.create({ accountId: 'acme', name: 'given', text }, 'test');
    await eventually(async () => expect(await directory.find(text)).toMatchObject({ name: 'given' }));
    directory.close();
  });

  it('does not ask for what cannot be a key', () => {
    const { watch, db } = watched(there);
    const directory = createKeyDirectory({ db, clock: handClock() });
    const mistyped = `${makeKeyText(randomBytes).slice(0, -6)}000000`;
    for (const text of ['', 'x', "' or 1=1 --", mistyped, 'k'.repeat(10_000)]) {
      expect(directory.find(text)).toBe('unknown');
    }
    expect(watch.questions).toBe(0);
    directory.close();
  });

  it('does not keep an answer that a change overtook', async () => {
    const { watch, db } = watched(there);
    const directory = createKeyDirectory({ db, clock: handClock() });
    const { key, text } = await newKey({ rpm: 1 });
    let heard = 0;
    const stop = there.subscribe(
      'key',
      () => heard++,
      () => {},
    );
    const waiting: (() => void)[] = [];
    const read = db.query;
    // The old row is read, then the change is heard of, then the old row arrives.
    db.query = async (...args) => {
      const rows = await read(...args);
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
      return rows as never;
    };
    const overtaken = directory.find(text);
    await eventually(() => expect(waiting).toHaveLength(1));
    await keys.update(key.id, { rules: { rpm: 2 } }, 'test');
    await eventually(() => expect(heard).toBe(1));
    waiting[0]?.();
    expect(await overtaken).toMatchObject({ rules: { rpm: 1 } });
    const next = directory.find(text);
    await eventually(() => expect(waiting).toHaveLength(2));
    waiting[1]?.();
    expect(await next).toMatchObject({ rules: { rpm: 2 } });
    expect(watch.questions).toBe(2);
    stop();
    directory.close();
  });

  it('goes on serving keys it knows while the database is down, and refuses to guess about others', async () => {
    const { watch, db } = watched(there);
    const clock = handClock();
    const directory = createKeyDirectory({ db, clock });
    const { key, text } = await newKey({ rpm: 1 });
    const known = await directory.find(text);
    await keys.update(key.id, { rules: { rpm: 2 } }, 'test');
    await eventually(() => expect(directory.find(text)).toBeInstanceOf(Promise));
    watch.down = true;
    await eventually(async () => expect(await directory.find(text)).toMatchObject({ id: key.id }));
    clock.advance(1_000);
    expect(await directory.find(text)).toMatchObject({ id: key.id });
    const asked = watch.questions;
    expect(directory.find(text)).not.toBeInstanceOf(Promise);
    expect(watch.questions).toBe(asked);
    await expect(directory.find(makeKeyText(randomBytes))).rejects.toMatchObject({ code: 'overloaded' });
    watch.down = false;
    clock.advance(1_000);
    expect(known).toMatchObject({ rules: { rpm: 1 } });
    expect(await directory.find(text)).toMatchObject({ rules: { rpm: 2 } });
    directory.close();
  });

  it('survives a real outage: known keys are found during it, changes made after it arrive', async () => {
    const directory = createKeyDirectory({ db: there, clock: systemClock });
    const { key, text } = await newKey({ rpm: 1 });
    await directory.find(text);
    await service.stop('immediate');
    expect(await directory.find(text)).toMatchObject({ id: key.id });
    await expect(directory.find(makeKeyText(randomBytes))).rejects.toMatchObject({ code: 'overloaded' });
    await service.start();
    await eventually(() => keys.update(key.id, { rules: { rpm: 2 } }, 'test'));
    await eventually(async () => expect(await directory.find(text)).toMatchObject({ rules: { rpm: 2 } }));
    directory.close();
  });
});
