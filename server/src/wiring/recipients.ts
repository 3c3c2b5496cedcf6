/** Alerts go to roles, not to addresses. */
import type { MessageSender, Recipients } from '../notices/index.ts';
import type { Queryable } from '../platform/db/index.ts';

/** Of an account: whoever owns, administers or pays for it. Of the operator: owners and finance, by what is sent here. */
export function recipientsBy(messenger: Pick<MessageSender, 'can'>): Recipients {
  return async (tx, accountId) => {
    if (accountId !== '') return whoPays(tx, accountId);
    return {
      email: messenger.can('email') ? await staffInCharge(tx, 'email') : [],
      sms: messenger.can('sms') ? await staffInCharge(tx, 'mobile') : [],
    };
  };
}

async function whoPays(tx: Queryable, accountId: string): Promise<{ email: string[]; sms: string[] }> {
  const rows = await tx.query<{ kind: string; value: string }>(
    `select distinct identity.kind, identity.value from membership join identity using (person_id)
     where account_id = $1 and role in ('owner', 'admin', 'billing') and kind in ('email', 'mobile')`,
    [accountId],
  );
  const of = (wanted: string) => rows.filter(({ kind }) => kind === wanted).map(({ value }) => value);
  return { email: of('email'), sms: of('mobile') };
}

async function staffInCharge(tx: Queryable, kind: 'email' | 'mobile'): Promise<string[]> {
  const rows = await tx.query<{ value: string }>(
    `select distinct identity.value from staff join person on person.id = staff.person_id
       join identity on identity.person_id = person.id
     where staff.role in ('owner', 'finance') and identity.kind = $1 and person.blocked_at is null`,
    [kind],
  );
  return rows.map(({ value }) => value);
}
