/** Every statement on memberships, invitations and staff. */
import type { GrantedRole, MemberRole, StaffRole } from '@dargah/core/roles.ts';
import type { AccountBlock } from '../keys/index.ts';
import {
  column,
  columnsOf,
  command,
  orNull,
  type Queryable,
  type RowOf,
  readAs,
  statement,
  statementFor,
} from '../platform/db/index.ts';

const membershipRow = {
  accountId: column.text,
  accountName: readAs('a.name', column.text),
  closedAt: readAs('a.closed_at', orNull(column.timestamp)),
  blockedAt: readAs('a.blocked_at', orNull(column.timestamp)),
  blockedUntil: readAs('a.blocked_until', orNull(column.timestamp)),
  blockedReason: readAs('a.blocked_reason', orNull(column.text)),
  personId: column.text,
  role: column.textOf<MemberRole>(),
  createdAt: column.timestamp,
};
type MembershipRow = RowOf<typeof membershipRow>;

/** A membership with facts about its account: its name, and whether it is closed or blocked. */
export interface Membership extends Omit<MembershipRow, 'blockedAt' | 'blockedUntil' | 'blockedReason'> {
  blocked: AccountBlock | null;
}

function toMembership({ blockedAt, blockedUntil, blockedReason, ...row }: MembershipRow): Membership {
  const blocked = blockedAt === null ? null : { at: blockedAt, until: blockedUntil, reason: blockedReason ?? '' };
  return { ...row, blocked };
}

const MEMBERSHIPS_OF_PERSON = statement(
  membershipRow,
  `select ${columnsOf(membershipRow, 'm')} from membership m join account a on a.id = m.account_id
    where m.person_id = $1 order by m.created_at, m.account_id`,
  { name: 'memberships-of-person' },
);
const MEMBERSHIPS_OF_PERSONS = statement(
  membershipRow,
  `select ${columnsOf(membershipRow, 'm')} from membership m join account a on a.id = m.account_id
    where m.person_id = any($1::text[]) order by m.created_at, m.account_id`,
);

export async function selectMemberships(db: Queryable, personId: string): Promise<Membership[]> {
  return (await MEMBERSHIPS_OF_PERSON.rows(db, [personId])).map(toMembership);
}

/** The memberships of all these people, with one query. */
export async function selectMembershipsOfAll(db: Queryable, personIds: readonly string[]): Promise<Membership[]> {
  return (await MEMBERSHIPS_OF_PERSONS.rows(db, [personIds])).map(toMembership);
}

const memberRow = {
  personId: column.text,
  name: readAs('p.name', column.text),
  role: column.textOf<MemberRole>(),
  createdAt: column.timestamp,
};
export type MemberRow = RowOf<typeof memberRow> & { contact: string | null };
export const MEMBERS_OF_ACCOUNT = statement(
  memberRow,
  `select ${columnsOf(memberRow, 'm')}
     from membership m join person p on p.id = m.person_id where m.account_id = $1 order by m.created_at, m.person_id`,
);
/** A member who is not staff counts as a customer of the account. */
export const CUSTOMER_OF_ACCOUNT = statement(
  {},
  `select from membership m where m.account_id = $1
      and not exists (select 1 from staff s where s.person_id = m.person_id) limit 1`,
);
export const MEMBER_WITH_CONTACT = statement(
  {},
  `select from membership m join identity i on i.person_id = m.person_id where m.account_id = $1 and i.value = $2`,
);
export const LOCKED_ROLE = statement(
  { role: column.textOf<MemberRole>() },
  'select role from membership where account_id = $1 and person_id = $2 for update',
);
/** No row comes back when the person is a member already. */
export const INSERT_MEMBER = statement(
  { person_id: column.text },
  `insert into membership (account_id, person_id, role, created_at) values ($1, $2, $3, $4)
   on conflict (account_id, person_id) do nothing returning person_id`,
);
export const UPDATE_MEMBER_ROLE = command('update membership set role = $3 where account_id = $1 and person_id = $2');
export const DELETE_MEMBER = command('delete from membership where account_id = $1 and person_id = $2');
/** No row comes back when somebody else is the owner by now. */
export const GIVE_UP_OWNERSHIP = statement(
  { role: column.text },
  "update membership set role = 'admin' where account_id = $1 and person_id = $2 and role = 'owner' returning role",
);
export const MAKE_OWNER = command("update membership set role = 'owner' where account_id = $1 and person_id = $2");
/** Gives the operator's own account an owner, where that account exists. */
export const JOIN_OPERATOR_ACCOUNT = command(
  `insert into membership (account_id, person_id, role, created_at)
   select 'operator', $1, 'owner', $2 where exists (select 1 from account where id = 'operator')
   on conflict do nothing`,
);

const invitationRow = {
  id: column.text,
  accountId: column.text,
  accountName: readAs('a.name', column.text),
  contact: column.text,
  role: column.textOf<GrantedRole>(),
  invitedBy: column.text,
  createdAt: column.timestamp,
  expiresAt: column.timestamp,
};
export type Invitation = RowOf<typeof invitationRow>;

const BY = {
  account: 'i.account_id = $2',
  contacts: 'i.contact = any($2::text[])',
  digest: 'i.digest = $2',
  id: 'i.id = $2',
} as const;
/** Open invitations: $1 is now, $2 what they are found by. */
export const OPEN_INVITATIONS = statementFor(
  invitationRow,
  (
    by: keyof typeof BY,
  ) => `select ${columnsOf(invitationRow, 'i')} from invitation i join account a on a.id = i.account_id
    where i.ended_at is null and i.expires_at > $1 and a.closed_at is null and ${BY[by]}
    order by i.created_at desc limit 200`,
  ['account'],
  ['contacts'],
  ['digest'],
  ['id'],
);
export const COUNT_OPEN_INVITATIONS = statement(
  { count: column.bigint },
  'select count(*) as count from invitation where account_id = $1 and ended_at is null and expires_at > $2',
);
export const INSERT_INVITATION = command(
  `insert into invitation (id, account_id, contact, role, digest, invited_by, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);
export const TAKE_INVITATION = statement(
  { id: column.text },
  'update invitation set ended_at = $2 where id = $1 and ended_at is null returning id',
);
export const WITHDRAW_INVITATION = statement(
  { id: column.text },
  'update invitation set ended_at = $3 where account_id = $1 and id = $2 and ended_at is null returning id',
);
export const WITHDRAW_INVITATIONS_TO = command(
  'update invitation set ended_at = $3 where account_id = $1 and contact = $2 and ended_at is null',
);
export const WITHDRAW_ALL_INVITATIONS = command(
  'update invitation set ended_at = $2 where account_id = $1 and ended_at is null',
);

const staffRow = {
  personId: column.text,
  name: readAs('p.name', column.text),
  role: column.textOf<StaffRole>(),
  secondFactor: readAs('p.totp_confirmed', column.boolean),
  createdAt: column.timestamp,
};
export type StaffMember = RowOf<typeof staffRow>;
export const ALL_STAFF = statement(
  staffRow,
  `select ${columnsOf(staffRow, 's')} from staff s join person p on p.id = s.person_id order by s.created_at, s.person_id`,
);
export const FIND_STAFF = statement(
  staffRow,
  `select ${columnsOf(staffRow, 's')} from staff s join person p on p.id = s.person_id where s.person_id = $1 and p.blocked_at is null`,
  { name: 'find-staff' },
);
export const LOCKED_STAFF = statement(
  { person_id: column.text, role: column.textOf<StaffRole>() },
  'select person_id, role from staff order by person_id for update',
);
/** No row comes back when the person is staff already. */
export const INSERT_STAFF = statement(
  { person_id: column.text },
  'insert into staff (person_id, role, created_at) values ($1, $2, $3) on conflict do nothing returning person_id',
);
export const INSERT_FIRST_OWNER = command("insert into staff (person_id, role, created_at) values ($1, 'owner', $2)");
export const UPDATE_STAFF_ROLE = command('update staff set role = $2 where person_id = $1');
export const DELETE_STAFF = command('delete from staff where person_id = $1');
/** No row comes back when it was deleted before, or the operator of the first start has no password of their own. */
export const FORGET_FIRST_PASSWORD = statement(
  { key: column.text },
  `update setting set value = to_jsonb($2::text), updated_at = $3
    where key = $1 and value <> to_jsonb($2::text) and exists (
      select from identity i join person p on p.id = i.person_id where i.kind = 'name' and p.password_hash is not null)
    returning key`,
);
