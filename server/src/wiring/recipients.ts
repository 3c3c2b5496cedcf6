/** Alerts of an account go to roles, not to addresses. Staff choose for themselves (notices/staff). */
import type { Recipients } from '../notices/index.ts';

/** Whoever owns, administers or pays for it. */
export const whoPays: Recipients = async (tx, accountId) => {
  const rows = await tx.query<{ kind: string; value: string }>(
    `select distinct identity.kind, identity.value from membership join identity using (person_id)
     where account_id = $1 and role in ('owner', 'admin', 'billing') and kind in ('email', 'mobile')`,
    [accountId],
  );
  const of = (wanted: string) => rows.filter(({ kind }) => kind === wanted).map(({ value }) => value);
  return { email: of('email'), sms: of('mobile') };
};
