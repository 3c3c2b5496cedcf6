/** Every statement on persons and on the numbers and addresses that are theirs. */

import { GatewayError } from '../core/errors.ts';
import { isUniqueViolation, type Queryable } from '../platform/db/index.ts';
import { peopleReasons } from './reasons.ts';

export interface Person {
  id: string;
  name: string;
  language: 'fa' | 'en';
  passwordHash: string | null;
  totpSecret: string | null;
  totpConfirmed: boolean;
  totpStep: bigint;
  recovery: string[];
  lastAccount: string | null;
  blockedAt: Date | null;
  createdAt: Date;
}

export interface Identity {
  id: string;
  personId: string;
  kind: 'mobile' | 'email' | 'name';
  value: string;
  createdAt: Date;
}

/** What a message can be sent to. The first operator has a name alone. */
export type ContactIdentity = Identity & { kind: 'mobile' | 'email' };

export function isContact(identity: Identity): identity is ContactIdentity {
  return identity.kind !== 'name';
}

const COLUMNS = `p.id, p.name, p.language, p.password_hash as "passwordHash", p.totp_secret as "totpSecret",
  p.totp_confirmed as "totpConfirmed", p.totp_step as "totpStep", p.recovery, p.last_account as "lastAccount",
  p.blocked_at as "blockedAt", p.created_at as "createdAt"`;
const IDENTITY = 'id, person_id as "personId", kind, value, created_at as "createdAt"';

export async function selectPerson(db: Queryable, id: string, lock = false): Promise<Person> {
  const [person] = await db.query<Person>(
    `select ${COLUMNS} from person p where p.id = $1${lock ? ' for update' : ''}`,
    [id],
  );
  if (!person) throw new GatewayError('not_found');
  return person;
}

export async function findByContact(
  db: Queryable,
  { kind, value }: Pick<Identity, 'kind' | 'value'>,
): Promise<Person | undefined> {
  const [person] = await db.query<Person>(
    `select ${COLUMNS} from person p join identity i on i.person_id = p.id where i.kind = $1 and i.value = $2`,
    [kind, value],
  );
  return person;
}

export async function insertPerson(
  tx: Queryable,
  person: Pick<Person, 'id' | 'name' | 'language' | 'createdAt'>,
): Promise<void> {
  await tx.query('insert into person (id, name, language, created_at) values ($1, $2, $3, $4)', [
    person.id,
    person.name,
    person.language,
    person.createdAt,
  ]);
}

export async function insertIdentity(tx: Queryable, identity: Identity): Promise<void> {
  const { id, personId, kind, value, createdAt } = identity;
  try {
    await tx.query('insert into identity (id, person_id, kind, value, created_at) values ($1, $2, $3, $4, $5)', [
      id,
      personId,
      kind,
      value,
      createdAt,
    ]);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new GatewayError('conflict', {
      cause: error,
      param: 'to',
      reason: peopleReasons.contactTaken,
    });
  }
}

export function selectIdentities(db: Queryable, personIds: readonly string[]): Promise<Identity[]> {
  return db.query<Identity>(
    `select ${IDENTITY} from identity where person_id = any($1::text[]) order by created_at, id`,
    [personIds],
  );
}

/** The last way in is kept: without it the person would be locked out for good. */
export async function removeIdentity(tx: Queryable, personId: string, id: string): Promise<Identity> {
  await selectPerson(tx, personId, true);
  const all = await selectIdentities(tx, [personId]);
  const found = all.find((one) => one.id === id);
  if (!found) throw new GatewayError('not_found');
  if (all.length === 1)
    throw new GatewayError('conflict', {
      reason: peopleReasons.onlyWayIn,
    });
  await tx.query('delete from identity where id = $1', [id]);
  return found;
}

export async function updatePerson(
  tx: Queryable,
  id: string,
  fields: Partial<Pick<Person, 'name' | 'language' | 'lastAccount' | 'passwordHash' | 'blockedAt'>>,
): Promise<void> {
  const columns = {
    name: 'name',
    language: 'language',
    lastAccount: 'last_account',
    passwordHash: 'password_hash',
    blockedAt: 'blocked_at',
  } as const;
  const given = Object.entries(fields) as [keyof typeof columns, unknown][];
  if (given.length === 0) return;
  const sets = given.map(([name], index) => `${columns[name]} = $${index + 2}`).join(', ');
  await tx.query(`update person set ${sets} where id = $1`, [id, ...given.map(([, value]) => value)]);
}

/** Unless another password was set meanwhile. */
export async function replacePasswordHash(db: Queryable, id: string, former: string, hash: string): Promise<void> {
  await db.query('update person set password_hash = $3 where id = $1 and password_hash = $2', [id, former, hash]);
}

export async function updateTotp(
  tx: Queryable,
  id: string,
  totp: Pick<Person, 'totpSecret' | 'totpConfirmed' | 'totpStep' | 'recovery'>,
): Promise<void> {
  await tx.query(
    'update person set totp_secret = $2, totp_confirmed = $3, totp_step = $4, recovery = $5::jsonb where id = $1',
    [id, totp.totpSecret, totp.totpConfirmed, totp.totpStep, JSON.stringify(totp.recovery)],
  );
}
