/** Persons, and the numbers and addresses that are theirs. */

import { GatewayError } from '../core/errors.ts';
import { isUniqueViolation, type Queryable } from '../platform/db/index.ts';
import type { Identity, Person } from './person-rows.ts';
import * as rows from './person-rows.ts';
import { peopleReasons } from './reasons.ts';

/** An identity that messages can be sent to. The first operator has only a name. */
export type ContactIdentity = Identity & { kind: 'mobile' | 'email' };

export function isContact(identity: Identity): identity is ContactIdentity {
  return identity.kind !== 'name';
}

export async function selectPerson(db: Queryable, id: string, lock = false): Promise<Person> {
  const person = await (lock ? rows.LOCKED_PERSON : rows.PERSON_BY_ID).first(db, [id]);
  if (!person) throw new GatewayError('not_found');
  return person;
}

export function findByContact(
  db: Queryable,
  { kind, value }: Pick<Identity, 'kind' | 'value'>,
): Promise<Person | undefined> {
  return rows.PERSON_OF_CONTACT.first(db, [kind, value]);
}

export async function insertPerson(
  tx: Queryable,
  { id, name, language, createdAt }: Pick<Person, 'id' | 'name' | 'language' | 'createdAt'>,
): Promise<void> {
  await rows.INSERT_PERSON.run(tx, [id, name, language, createdAt]);
}

export async function insertIdentity(tx: Queryable, identity: Identity): Promise<void> {
  const { id, personId, kind, value, createdAt } = identity;
  try {
    await rows.INSERT_IDENTITY.run(tx, [id, personId, kind, value, createdAt]);
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
  return rows.IDENTITIES_OF_PERSONS.rows(db, [personIds]);
}

/** The last way to sign in cannot be removed, because the person would be locked out for good. */
export async function removeIdentity(tx: Queryable, personId: string, id: string): Promise<Identity> {
  await selectPerson(tx, personId, true);
  const all = await selectIdentities(tx, [personId]);
  const found = all.find((one) => one.id === id);
  if (!found) throw new GatewayError('not_found');
  if (all.length === 1)
    throw new GatewayError('conflict', {
      reason: peopleReasons.onlyWayIn,
    });
  await rows.DELETE_IDENTITY.run(tx, [id]);
  return found;
}
