/** Alerts of an account go to roles, not to addresses. Staff choose for themselves (notices/staff). */
import type { Recipients } from '../notices/index.ts';
import { selectPayingContacts } from '../people/index.ts';

export const whoPays: Recipients = async (tx, accountId) => {
  const contacts = await selectPayingContacts(tx, accountId);
  const of = (wanted: string) => contacts.filter(({ kind }) => kind === wanted).map(({ value }) => value);
  return { email: of('email'), sms: of('mobile') };
};
