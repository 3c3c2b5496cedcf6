/** Every statement on persons and on the numbers and addresses that are theirs. */
import type { MemberRole } from '@dargah/core/roles.ts';
import type { Language } from '@dargah/core/text.ts';
import {
  column,
  columnsOf,
  command,
  commandFor,
  orNull,
  type Queryable,
  type RowOf,
  statement,
} from '../platform/db/index.ts';

const personRow = {
  id: column.text,
  name: column.text,
  language: column.textOf<Language>(),
  passwordHash: orNull(column.text),
  totpSecret: orNull(column.text),
  totpConfirmed: column.boolean,
  totpStep: column.bigint,
  recovery: column.jsonOf<string[]>(),
  lastAccount: orNull(column.text),
  blockedAt: orNull(column.timestamp),
  createdAt: column.timestamp,
};
export type Person = RowOf<typeof personRow>;

const identityRow = {
  id: column.text,
  personId: column.text,
  kind: column.textOf<'mobile' | 'email' | 'name'>(),
  value: column.text,
  createdAt: column.timestamp,
};
export type Identity = RowOf<typeof identityRow>;

export const PERSON_BY_ID = statement(personRow, `select ${columnsOf(personRow, 'p')} from person p where p.id = $1`);
export const LOCKED_PERSON = statement(personRow, `${PERSON_BY_ID.text} for update`);
export const PERSON_OF_CONTACT = statement(
  personRow,
  `select ${columnsOf(personRow, 'p')} from person p join identity i on i.person_id = p.id where i.kind = $1 and i.value = $2`,
);
export const INSERT_PERSON = command('insert into person (id, name, language, created_at) values ($1, $2, $3, $4)');

/** The fields of a person that are written one by one. */
const FIELDS = {
  name: 'name',
  language: 'language',
  lastAccount: 'last_account',
  passwordHash: 'password_hash',
  blockedAt: 'blocked_at',
} as const;
type PersonField = keyof typeof FIELDS;
const EACH_FIELD = Object.keys(FIELDS) as PersonField[];
export type PersonChange = Partial<Pick<Person, PersonField>>;

const UPDATE_PERSON = commandFor(
  (names: readonly PersonField[]) => {
    const sets = names.map((name, index) => `${FIELDS[name]} = $${index + 2}`);
    return `update person set ${sets.join(', ')} where id = $1`;
  },
  [EACH_FIELD],
);

export async function updatePerson(tx: Queryable, id: string, change: PersonChange): Promise<void> {
  const names = EACH_FIELD.filter((name) => name in change);
  if (names.length === 0) return;
  await UPDATE_PERSON(names).run(tx, [id, ...names.map((name) => change[name])]);
}

const REPLACE_PASSWORD_HASH = command('update person set password_hash = $3 where id = $1 and password_hash = $2');

/** Replaces the hash unless another password was set meanwhile. */
export async function replacePasswordHash(db: Queryable, id: string, former: string, hash: string): Promise<void> {
  await REPLACE_PASSWORD_HASH.run(db, [id, former, hash]);
}

const UPDATE_TOTP = command(
  'update person set totp_secret = $2, totp_confirmed = $3, totp_step = $4, recovery = $5::jsonb where id = $1',
);

export async function updateTotp(
  tx: Queryable,
  id: string,
  totp: Pick<Person, 'totpSecret' | 'totpConfirmed' | 'totpStep' | 'recovery'>,
): Promise<void> {
  const { totpSecret, totpConfirmed, totpStep, recovery } = totp;
  await UPDATE_TOTP.run(tx, [id, totpSecret, totpConfirmed, totpStep, JSON.stringify(recovery)]);
}

export const INSERT_IDENTITY = command(
  'insert into identity (id, person_id, kind, value, created_at) values ($1, $2, $3, $4, $5)',
);
export const IDENTITIES_OF_PERSONS = statement(
  identityRow,
  `select ${columnsOf(identityRow)} from identity where person_id = any($1::text[]) order by created_at, id`,
);
export const DELETE_IDENTITY = command('delete from identity where id = $1');

const LANGUAGE_OF_CONTACT = statement(
  { language: column.textOf<Language>() },
  'select language from person join identity on identity.person_id = person.id where identity.value = $1',
);

/** The language that the owner of this number or address has chosen. */
export async function languageOfContact(db: Queryable, value: string): Promise<Language | undefined> {
  return (await LANGUAGE_OF_CONTACT.first(db, [value]))?.language;
}

const PAYING_CONTACTS = statement(
  { kind: column.textOf<'mobile' | 'email'>(), value: column.text },
  `select distinct identity.kind, identity.value from membership join identity using (person_id)
   where account_id = $1 and role in ('owner', 'admin', 'billing') and kind in ('email', 'mobile')`,
);

/** Numbers and addresses of everybody who owns, administers or pays for the account. */
export function selectPayingContacts(tx: Queryable, accountId: string): Promise<{ kind: string; value: string }[]> {
  return PAYING_CONTACTS.rows(tx, [accountId]);
}

const accountPersonRow = {
  personId: column.text,
  name: column.text,
  role: column.textOf<MemberRole>(),
  secondFactor: column.boolean,
  blockedAt: orNull(column.timestamp),
  /** True for a member of staff. */
  isStaff: column.boolean,
  /** How many sessions are open. */
  sessions: column.int,
  lastSeenAt: orNull(column.timestamp),
  joinedAt: column.timestamp,
};
export type AccountPerson = RowOf<typeof accountPersonRow>;

const MAX_PEOPLE = 500;
const ACCOUNT_PEOPLE = statement(
  accountPersonRow,
  `select m.person_id as "personId", p.name, m.role, p.totp_confirmed as "secondFactor", p.blocked_at as "blockedAt",
          exists (select from staff s where s.person_id = p.id) as "isStaff",
          coalesce(s.open, 0)::int as sessions, s.seen as "lastSeenAt", m.created_at as "joinedAt"
     from membership m join person p on p.id = m.person_id
     left join lateral (
       select count(*) filter (where expires_at > $2) as open, max(seen_at) as seen from session where person_id = p.id
     ) s on true
    where m.account_id = $1 order by m.created_at, m.person_id limit ${MAX_PEOPLE}`,
);

/** The people of one account as staff sees them. */
export function selectAccountPeople(db: Queryable, accountId: string, now: Date): Promise<AccountPerson[]> {
  return ACCOUNT_PEOPLE.rows(db, [accountId, now]);
}

/** Names of persons, and of management keys of the account, by the actor that the audit log names. */
export const NAMES_OF_ACTORS = statement(
  { actor: column.text, name: column.text },
  `select 'person:' || id as actor, name from person where id = any($1::text[])
   union all select 'management-key:' || id, name from management_key where account_id = $2 and id = any($3::text[])`,
);
