/** The operator's bank accounts: at least one, each with a right IBAN, and none that has entries ever goes. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bankOf, changeBankAccounts, isIban, readBankAccounts } from '../../src/payments/bank-accounts.ts';
import { createSettingStore } from '../../src/platform/setting-store.ts';
import { HandClock } from '../admission/hand-clock.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';

const MELLI = { id: 'melli', name: 'ملی', iban: 'IR۰۶ ۲۹۶۰ ۰۰۰۰ ۰۰۱۰ ۰۳۲۴ ۲۰۰۰ ۰۱' };
const PLAIN = 'IR062960000000100324200001';

let temporary: TemporaryDatabase;
beforeAll(async () => {
  temporary = await openTemporaryDatabase();
});
afterAll(() => temporary.remove());

describe('bank accounts', () => {
  const change = (accounts: { id: string; name: string; iban: string }[]) => {
    const { db } = temporary;
    return changeBankAccounts(db, createSettingStore({ db, clock: new HandClock(), randomBytes }), accounts, 'finance');
  };

  it('are one before any is named, and then the first that was', async () => {
    const { db } = temporary;
    expect(await readBankAccounts(db)).toEqual([{ id: 'main', name: '', holder: null, iban: null }]);
    expect(await bankOf(db, undefined)).toBe('main');
    await change([MELLI, { ...MELLI, id: 'mellat' }]);
    expect(await readBankAccounts(db)).toMatchObject([{ id: 'melli', name: 'ملی', iban: PLAIN }, { id: 'mellat' }]);
    expect([await bankOf(db, undefined), await bankOf(db, 'mellat')]).toEqual(['melli', 'mellat']);
    await expect(bankOf(db, 'main')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('refuse a wrong IBAN, a repeated or odd id, an empty list, and to lose one that has entries', async () => {
    for (const wrong of [
      [],
      [{ ...MELLI, iban: 'IR062960000000100324200002' }],
      [{ ...MELLI, iban: 'DE062960000000100324200001' }],
      [{ ...MELLI, id: 'Bank:1' }],
      [{ ...MELLI, name: ' ' }],
      [MELLI, MELLI],
    ])
      await expect(change(wrong)).rejects.toMatchObject({ code: 'invalid_request' });
    await temporary.db.query(`insert into ledger_account (id, posted, version) values ('bank:melli', 0, 1)`);
    await expect(change([{ ...MELLI, id: 'other' }])).rejects.toMatchObject({ code: 'conflict' });
    await change([MELLI]);
    expect(isIban(PLAIN)).toBe(true);
  });
});
