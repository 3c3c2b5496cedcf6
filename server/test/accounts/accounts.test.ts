import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountList, type AccountService, createAccountService } from '../../src/accounts/index.ts';
import { DEFAULT_CALENDAR } from '../../src/keys/index.ts';
import { createSettingStore } from '../../src/platform/setting-store.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';

describe('accounts and settings', () => {
  let temporary: TemporaryDatabase;
  let accounts: AccountService;
  let nowMs = 1_800_000_000_000;
  const clock = { now: () => nowMs, monotonicMs: () => nowMs };

  beforeAll(async () => {
    temporary = await openTemporaryDatabase();
    accounts = createAccountService({ db: temporary.db, clock, randomBytes, defaultCalendar: DEFAULT_CALENDAR });
  });
  afterAll(() => temporary?.remove());

  const events = async (subject: string) => {
    const rows = await temporary.db.query<{ actor: string; action: string; detail: unknown }>(
      'select actor, action, detail from admin_event where subject = $1 order by at, id',
      [subject],
    );
    return rows.map(({ actor, action }) => `${actor} ${action}`);
  };

  it('are made with the default calendar and no limits, and changed field by field', async () => {
    const account = await accounts.create({ name: 'Acme', rules: { caps: { monthly: '1000.5' } } }, 'sara');
    expect(account).toMatchObject({
      calendar: DEFAULT_CALENDAR,
      managedBy: 'operator',
      rules: { rpm: null, caps: { daily: null, monthly: 1_000_500_000n, total: null } },
    });
    nowMs += 1_000;
    const updated = await accounts.update(account.id, { rules: { rpm: 7 }, calendar: { month: 'gregorian' } }, 'sara');
    expect(updated).toMatchObject({
      name: 'Acme',
      calendar: { timeZone: 'Asia/Tehran', month: 'gregorian' },
      rules: { rpm: 7, caps: { monthly: 1_000_500_000n } },
    });
    expect(await accounts.get(account.id)).toEqual(updated);
    expect(await events(account.id)).toEqual(['sara account.create', 'sara account.update']);
  });

  it('tell every subscriber of a change, and of a refused one nothing', async () => {
    const heard: string[] = [];
    const stop = temporary.db.subscribe(
      'account',
      (id) => heard.push(id),
      () => {},
    );
    await accounts.create({ id: 'loud', name: 'Loud' }, 't');
    await expect(accounts.create({ id: 'loud', name: 'Again' }, 't')).rejects.toMatchObject({ code: 'conflict' });
    await expect(accounts.update('loud', { rules: { speed: 1 } }, 't')).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(accounts.update('nobody', { name: 'x' }, 't')).rejects.toMatchObject({ code: 'not_found' });
    await expect(accounts.create({ id: 'no spaces', name: 'x' }, 't')).rejects.toMatchObject({
      code: 'invalid_request',
    });
    stop();
    expect(heard).toEqual(['loud']);
  });

  it('from the configuration are made once, follow the file and are read-only', async () => {
    const file = {
      id: 'from-file',
      name: 'File',
      rules: { rpm: 600, caps: { daily: null, monthly: null, total: null } },
    };
    const first = await accounts.upsertConfigAccount(file);
    nowMs += 1_000;
    expect(await accounts.upsertConfigAccount(file)).toEqual(first);
    expect((await accounts.upsertConfigAccount({ ...file, rules: { rpm: 5 } })).rules.rpm).toBe(5);
    expect(await events('from-file')).toEqual(['config account.create', 'config account.update']);
    await expect(accounts.update('from-file', { name: 'x' }, 't')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('are listed newest first, in pages', async () => {
    for (let i = 0; i < 5; i++) {
      nowMs += 1;
      await accounts.create({ id: `page-${i}`, name: 'p' }, 't');
    }
    const list = new AccountList({ db: temporary.db, clock });
    const place = { sort: 'created', use: 'list', after: null } as const;
    const first = await list.page({ privateWords: true }, { ...place, limit: 3 });
    const second = await list.page({ privateWords: true }, { ...place, limit: 2, after: first.next });
    const ids = [...first.rows, ...second.rows].map(({ account }) => account.id);
    expect(ids).toEqual([4, 3, 2, 1, 0].map((i) => `page-${i}`));
  });

  it('settings keep any JSON, tell who changed them, and are heard of', async () => {
    const settings = createSettingStore({ db: temporary.db, clock, randomBytes });
    const heard: (string | undefined)[] = [];
    const stop = settings.watch((key) => heard.push(key));
    await settings.set('margin', 0.1, 'sara');
    await settings.set('margin', 0.2, 'sara');
    await settings.set('list', [1, { a: null }], 'sara');
    await settings.set('text', 'متن', 'sara');
    stop();
    expect(await settings.all()).toEqual(
      new Map<string, unknown>([
        ['margin', 0.2],
        ['list', [1, { a: null }]],
        ['text', 'متن'],
      ]),
    );
    expect(heard).toEqual(['margin', 'margin', 'list', 'text']);
    expect(await events('list')).toEqual(['sara setting.set']);
  });
});
