/**
 * The operator's bank accounts: each is a book, `bank:<id>`. Bank transfers arrive in one of them, and refunds by hand
 * leave one.
 */

import { GatewayError, invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import { isJsonObject } from '../core/json.ts';
import { reasons } from '../core/reasons.ts';
import type { Queryable } from '../platform/db/index.ts';
import type { SettingStore } from '../platform/setting-store.ts';
import { FIRST_BANK } from './entries.ts';
import { BANKS_IN_BOOKS, SETTING_NAMED } from './payment-setting-rows.ts';
import { paymentReasons } from './reasons.ts';
import { plainNumber } from './written-number.ts';

export interface BankAccount {
  id: string;
  name: string;
  /** Null for the account that exists before the operator has named any. */
  iban: string | null;
  /** The name that the bank shows to a person who transfers; null where the operator did not enter it. */
  holder: string | null;
}

export interface BankAccountInput {
  id: string;
  name: string;
  iban: string;
  holder?: string | null | undefined;
}

const SETTING = 'bank_accounts';
const MAX = 20;
const ID = /^[a-z0-9][a-z0-9-]{0,30}$/;
const UNNAMED: BankAccount = { id: FIRST_BANK, name: '', iban: null, holder: null };

/** Always at least one, so that bank transfers have a book from the first day on. */
export async function readBankAccounts(db: Queryable): Promise<BankAccount[]> {
  const row = await SETTING_NAMED.first(db, [SETTING]);
  const stored = Array.isArray(row?.value) ? row.value.filter(isJsonObject) : [];
  const accounts = stored.map(({ id, name, iban, holder }) => ({
    id: String(id),
    name: String(name),
    iban: String(iban),
    holder: typeof holder === 'string' ? holder : null,
  }));
  return accounts.length > 0 ? accounts : [UNNAMED];
}

/** The account of this id, or the first. */
export async function bankOf(db: Queryable, id: string | undefined): Promise<string> {
  const accounts = await readBankAccounts(db);
  const found = id === undefined ? accounts[0] : accounts.find((one) => one.id === id);
  if (!found) throw invalidRequest('bank', paymentReasons.noSuchBank(id ?? ''));
  return found.id;
}

/** Replaces all of them, in their order. An account that has entries in the books cannot be removed. */
export async function changeBankAccounts(
  db: Queryable,
  store: SettingStore,
  given: readonly BankAccountInput[],
  actor: string,
): Promise<void> {
  if (given.length < 1 || given.length > MAX)
    throw invalidRequest('bank_accounts', reasons.mustBe('bank_accounts', expected.between(1, MAX)));
  const accounts = given.map(checked);
  const ids = new Set(accounts.map(({ id }) => id));
  if (ids.size < accounts.length) throw invalidRequest('bank_accounts.id', paymentReasons.bankTwice);
  const used = await BANKS_IN_BOOKS.rows(db);
  const missing = used.find(({ id }) => !ids.has(id));
  if (missing)
    throw new GatewayError('conflict', { param: 'bank_accounts', reason: paymentReasons.bankInUse(missing.id) });
  await store.set(SETTING, accounts, actor);
}

function checked({ id, name, iban, holder }: BankAccountInput) {
  const number = (plainNumber(iban) ?? '').toUpperCase();
  if (!ID.test(id)) throw invalidRequest('bank_accounts.id', reasons.mustBe('id', expected.shapedAs('melli-1')));
  if (name.trim() === '') throw invalidRequest('bank_accounts.name', reasons.required('name'));
  if (!isIban(number)) throw invalidRequest('bank_accounts.iban', paymentReasons.wrongIban);
  return { id, name: name.trim(), iban: number, holder: holder?.trim() || null };
}

/**
 * `IR` and 24 digits. Letters count as numbers from 10 on, the first four characters move to the end, and the remainder
 * by 97 must be 1.
 */
export function isIban(text: string): boolean {
  if (!/^IR\d{24}$/.test(text)) return false;
  const digits = `${text.slice(4)}${text.slice(0, 4)}`.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n;
}
