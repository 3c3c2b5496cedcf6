/**
 * Buyers and sellers as an Iranian invoice names them. Numbers have check digits; a mistyped one is refused with its
 * field's name.
 */

import { invalidRequest } from '../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import { paymentReasons } from '../reasons.ts';
import { plainNumber } from '../written-number.ts';

export interface LegalIdentity {
  kind: 'person' | 'company';
  name: string;
  nationalId: string | null;
  economicCode: string | null;
  registrationNumber: string | null;
  postalCode: string | null;
  address: string | null;
  phone: string | null;
}

export interface IdentityInput {
  kind: 'person' | 'company';
  name: string;
  national_id?: string | null;
  economic_code?: string | null;
  registration_number?: string | null;
  postal_code?: string | null;
  address?: string | null;
  phone?: string | null;
}

/** Ten digits; the last one is a check digit. */
export function isPersonId(text: string): boolean {
  if (!/^\d{10}$/.test(text) || /^(\d)\1{9}$/.test(text)) return false;
  const digits = [...text].map(Number);
  const rest = digits.slice(0, 9).reduce((sum, digit, index) => sum + digit * (10 - index), 0) % 11;
  return digits[9] === (rest < 2 ? rest : 11 - rest);
}

const COMPANY_WEIGHTS = [29, 27, 23, 19, 17];

/** Eleven digits; the last one is a check digit. */
export function isCompanyId(text: string): boolean {
  if (!/^\d{11}$/.test(text) || /^(\d)\1{10}$/.test(text)) return false;
  const digits = [...text].map(Number);
  const added = (digits[9] as number) + 2;
  const sum = digits
    .slice(0, 10)
    .reduce((total, digit, index) => total + (digit + added) * (COMPANY_WEIGHTS[index % 5] as number), 0);
  return digits[10] === (sum % 11) % 10;
}

/**
 * A company's code is its national id; a person's begins with theirs; older codes have twelve digits without a check
 * digit.
 */
export function isEconomicCode(text: string): boolean {
  if (text.length === 11) return isCompanyId(text);
  if (text.length === 14) return /^\d{14}$/.test(text) && isPersonId(text.slice(0, 10));
  return /^\d{12}$/.test(text);
}

/** The first five digits are never 0 or 2, and the fifth is not 5. */
export function isPostalCode(text: string): boolean {
  return /^[13-9]{4}[1346-9]\d{5}$/.test(text) && !/^(\d)\1{9}$/.test(text);
}

export function readIdentity(input: IdentityInput): LegalIdentity {
  const { kind, name } = input;
  const identity: LegalIdentity = {
    kind,
    name: name.trim(),
    nationalId: plainNumber(input.national_id),
    economicCode: plainNumber(input.economic_code),
    registrationNumber: plainNumber(input.registration_number),
    postalCode: plainNumber(input.postal_code),
    address: text(input.address),
    phone: text(input.phone),
  };
  if (identity.name === '') throw invalidRequest('name', reasons.required('name'));
  const { nationalId, economicCode, postalCode } = identity;
  const isNationalId = kind === 'company' ? isCompanyId : isPersonId;
  if (kind === 'company' && nationalId === null) throw invalidRequest('national_id', reasons.required('national_id'));
  if (nationalId !== null && !isNationalId(nationalId)) throw wrong('national_id', 'شناسه یا کد ملی', 'national id');
  if (economicCode !== null && !isEconomicCode(economicCode))
    throw wrong('economic_code', 'کد اقتصادی', 'economic code');
  if (postalCode !== null && !isPostalCode(postalCode)) throw wrong('postal_code', 'کد پستی', 'postal code');
  return identity;
}

/** Reads a stored identity; the database only contains what `readIdentity` has accepted. */
export function storedIdentity(value: Json | undefined): LegalIdentity | null {
  return isJsonObject(value) ? (value as unknown as LegalIdentity) : null;
}

export function identityJson(identity: LegalIdentity): JsonObject {
  return { ...identity };
}

function text(value: string | null | undefined): string | null {
  const trimmed = (value ?? '').trim();
  return trimmed === '' ? null : trimmed;
}

function wrong(param: string, fa: string, en: string) {
  return invalidRequest(param, paymentReasons.wrongNumber(fa, en));
}
