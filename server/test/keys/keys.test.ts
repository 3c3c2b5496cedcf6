import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AccountService, createAccountService } from '../../src/accounts/index.ts';
import { systemClock } from '../../src/core/clock.ts';
import { createKeyDirectory, createKeyService, DEFAULT_CALENDAR, type KeyService } from '../../src/keys/index.ts';
import { makeKeyText } from '../../src/keys/key-text.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';

describe('keys', () => {
  let temporary: TemporaryDatabase;
  let keys: KeyService;
  let accounts: AccountService;
  let nowMs = 1_800_000_000_000;
  const clock = { now: () => nowMs, monotonicMs: () => nowMs };

  beforeAll(async () => {
    temporary = await openTemporaryDatabase();
    const { db } = temporary;
    keys = createKeyService({ db, clock, randomBytes });
    accounts = createAccountService({ db, clock, randomBytes, defaultCalendar: DEFAULT_CALENDAR });
    await accounts.create({ id: 'acme', name: 'Acme', rules: { rpm: 100, caps: { daily: 50 } } }, 'test');
    await accounts.create({ id: 'beta', name: 'Beta' }, 'test');
  });
  beforeEach(() => {
    nowMs += 1_000;
  });
  afterAll(() => temporary?.remove());

  const actionsOn = async (id: string) => {
    const events = await temporary.db.query<{ actor: string; action: string }>(
      'select actor, action from admin_event where subject = $1 order by at desc, id desc',
      [id],
    );
    return events.map(({ actor, action }) => `${actor} ${action}`);
  };

  it('shows the text once and stores only its digest', async () => {
    const { key, text } = await keys.create({ accountId: 'acme', name: ' Main ', rules: { rpm: 5 } }, 'sara');
    expect(key).toMatchObject({ name: 'Main', managedBy: 'operator', revokedAt: null, rules: { rpm: 5, tpm: null } });
    const [row] = await temporary.db.query<Record<string, unknown>>('select * from api_key where id = $1', [key.id]);
    expect(JSON.stringify(row)).not.toContain(text.slice(8, -5));
    expect(await keys.get(key.id)).toEqual(key);
    expect(await actionsOn(key.id)).toEqual(['sara key.create']);
  });

  it('refuses rules above the account’s, an unknown account, a taken or mistyped text; and then writes nothing', async () => {
    const before = (await keys.list(undefined, { limit: 200 })).items.length;
    const refusals = [
      keys.create({ accountId: 'acme', name: 'x', rules: { rpm: 101 } }, 't'),
      keys.create({ accountId: 'acme', name: 'x', rules: { caps: { daily: '50.1' } } }, 't'),
      keys.create({ accountId: 'nobody', name: 'x' }, 't'),
      keys.create({ accountId: 'acme', name: ' ' }, 't'),
      keys.create({ accountId: 'acme', name: 'x', text: `${makeKeyText(randomBytes).slice(0, -6)}000000` }, 't'),
    ];
    const codes = await Promise.all(refusals.map((refusal) => refusal.catch((error: { code: string }) => error.code)));
    expect(codes).toEqual(['invalid_request', 'invalid_request', 'not_found', 'invalid_request', 'invalid_request']);
    await keys.create({ accountId: 'acme', name: 'x', text: 'dg-given-twice' }, 't');
    await expect(keys.create({ accountId: 'beta', name: 'x', text: 'dg-given-twice' }, 't')).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await keys.list(undefined, { limit: 200 })).items.length).toBe(before + 1);
  });

  it('changes only what a patch names, pauses, resumes, rotates and revokes', async () => {
    const { key, text } = await keys.create({ accountId: 'acme', name: 'k', rules: { rpm: 5, tpm: 10 } }, 't');
    const updated = await keys.update(key.id, { rules: { rpm: null } }, 't');
    expect(updated.rules).toMatchObject({ rpm: null, tpm: 10 });
    await expect(keys.update(key.id, { rules: { rpm: 101 } }, 't')).rejects.toMatchObject({ code: 'invalid_request' });
    expect((await keys.pause(key.id, true, 't')).rules.paused).toBe(true);
    expect((await keys.pause(key.id, false, 't')).rules.paused).toBe(false);

    const directory = createKeyDirectory({ db: temporary.db, clock });
    expect(await directory.find(text)).toMatchObject({ id: key.id });
    const rotated = await keys.rotate(key.id, 't');
    // In one process the news is there before the change returns.
    expect(await directory.find(text)).toBe('unknown');
    expect(await directory.find(rotated.text)).toMatchObject({ id: key.id });
    nowMs += 1_000;
    expect((await keys.revoke(key.id, 't')).revokedAt).toEqual(new Date(nowMs));
    expect(await directory.find(rotated.text)).toBe('unknown');
    await expect(keys.pause(key.id, false, 't')).rejects.toMatchObject({ code: 'conflict' });
    await expect(keys.get('key_none')).rejects.toMatchObject({ code: 'not_found' });
    expect((await actionsOn(key.id)).sort()).toEqual(
      ['create', 'pause', 'resume', 'revoke', 'rotate', 'update'].map((action) => `t key.${action}`),
    );
    directory.close();
  });

  it('lists in pages that neither repeat nor miss, while keys are being added', async () => {
    const made: string[] = [];
    // Several in one millisecond: the id decides among them.
    for (let i = 0; i < 7; i++) made.push((await keys.create({ accountId: 'beta', name: `${i}` }, 't')).key.id);
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await keys.list('beta', { limit: 3, ...(after === undefined ? {} : { after }) });
      seen.push(...page.items.map(({ id }) => id));
      after = page.next ?? undefined;
      nowMs += 1_000;
      await keys.create({ accountId: 'beta', name: 'meanwhile' }, 't');
    } while (after !== undefined);
    expect(seen).toHaveLength(7);
    expect(new Set(seen)).toEqual(new Set(made));
    await expect(keys.list('beta', { after: 'nonsense' })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('makes config keys as the file says, once, and keeps them read-only', async () => {
    const main = { accountId: 'acme', id: 'main', text: 'dg-config-main', rules: { rpm: 5 } };
    const id = await keys.upsertConfigKey(main);
    await keys.upsertConfigKey(main);
    expect([id, await actionsOn(id)]).toEqual(['main', ['config key.create']]);
    nowMs += 1_000;
    await keys.upsertConfigKey({ ...main, text: 'dg-config-other', rules: { rpm: 6 } });
    const directory = createKeyDirectory({ db: temporary.db, clock: systemClock });
    expect(await directory.find('dg-config-main')).toBe('unknown');
    expect(await directory.find('dg-config-other')).toMatchObject({ id: 'main', rules: { rpm: 6 } });
    for (const attempt of [
      keys.update('main', { name: 'x' }, 't'),
      keys.pause('main', true, 't'),
      keys.revoke('main', 't'),
      keys.rotate('main', 't'),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'conflict' });
    }
    // Another account of the file may use the same short id.
    const second = { accountId: 'beta', id: 'main', text: 'dg-config-beta' };
    expect(await keys.upsertConfigKey(second)).toBe('beta.main');
    expect(await keys.upsertConfigKey(second)).toBe('beta.main');
    await expect(keys.upsertConfigKey({ ...second, id: 'x', text: 'dg-config-other' })).rejects.toMatchObject({
      code: 'conflict',
    });
    // What the file no longer names stops working, and works again when it is back.
    await keys.revokeConfigKeysExcept(['beta.main']);
    expect(await directory.find('dg-config-other')).toBe('unknown');
    expect(await directory.find('dg-config-beta')).toMatchObject({ id: 'beta.main' });
    await keys.upsertConfigKey({ ...main, text: 'dg-config-other' });
    expect(await directory.find('dg-config-other')).toMatchObject({ id: 'main' });
    directory.close();
  });

  it('lets several replicas apply the same configuration at once', async () => {
    const input = { accountId: 'acme', id: 'shared', text: 'dg-config-shared' };
    const ids = await Promise.all(Array.from({ length: 4 }, () => keys.upsertConfigKey(input)));
    expect(new Set(ids)).toEqual(new Set(['shared']));
    expect(await actionsOn('shared')).toEqual(['config key.create']);
  });
});
