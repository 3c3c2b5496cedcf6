/** Converts numbers and addresses as people type them to the one form that is stored and compared. */

import { latinDigits } from '@dargah/core/persian-text.ts';
import { invalidRequest } from '../core/errors.ts';
import { peopleReasons } from './reasons.ts';

export interface Contact {
  kind: 'mobile' | 'email';
  /** `09xxxxxxxxx`, or the address in lower case. */
  value: string;
}

const EMAIL =
  /^[^\s@<>()[\],;:\\"]{1,64}@[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?)+$/;

export function parseContact(text: string, param = 'to'): Contact {
  const plain = latinDigits(text).trim().normalize('NFKC');
  const contact = plain.includes('@') ? email(plain) : mobile(plain);
  if (contact) return contact;
  throw invalidRequest(param, peopleReasons.noContact(param));
}

function email(text: string): Contact | undefined {
  const value = text.toLowerCase();
  return value.length <= 254 && EMAIL.test(value) ? { kind: 'email', value } : undefined;
}

/** Accepts `0912…`, `912…`, `98912…`, `+98912…` and `0098912…`, with spaces, dashes or brackets between. */
function mobile(text: string): Contact | undefined {
  const digits = text.replace(/[\s\-().\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
  const match = /^(?:\+98|0098|98|0)?(9\d{9})$/.exec(digits);
  return match ? { kind: 'mobile', value: `0${match[1]}` } : undefined;
}

/**
 * The same text for one mailbox however it is written, because tags after `+` and Google's dots make endless addresses
 * of it.
 */
export function mailboxOf({ kind, value }: Contact): string {
  if (kind === 'mobile') return value;
  const [local = '', domain = ''] = value.split('@');
  const untagged = local.split('+', 1)[0] ?? '';
  return /^(gmail|googlemail)\.com$/.test(domain)
    ? `${untagged.replaceAll('.', '')}@gmail.com`
    : `${untagged}@${domain}`;
}

/** Masks a contact for lists that not everybody may read: `0912•••4567`, `s•••@example.com`. */
export function maskContact(value: string): string {
  if (!value.includes('@')) return `${value.slice(0, 4)}•••${value.slice(-4)}`;
  const [local = '', domain = ''] = value.split('@');
  return `${local.slice(0, 1)}•••@${domain}`;
}

const CONTACTS = /(?<![\d+])(?:\+98|0098|98|0)9\d{9}(?!\d)|[^\s@<>()[\],;:"]{1,64}@[a-z0-9][a-z0-9.-]{0,250}[a-z0-9]/gi;

/** Masks every number and address within a text. */
export function maskContactsIn(text: string): string {
  return text.replace(CONTACTS, maskContact);
}
