/** People and their accounts as answers show them. */
import {
  type Membership,
  type Passkey,
  type People,
  type Person,
  type Session,
  selectPerson,
} from '../../people/index.ts';
import { viewedAccount } from '../people-guards.ts';

export function personView({ id, name, language, createdAt }: Person) {
  return { object: 'person', id, name, language, created_at: createdAt.toISOString() };
}

export function ownAccountView({ accountId, accountName, role, closedAt }: Membership) {
  return { id: accountId, name: accountName, role, closed: closedAt !== null };
}

export function sessionView(session: Session, currentId: string | null) {
  return {
    object: 'session',
    id: session.id,
    current: session.id === currentId,
    address: session.address,
    agent: session.agent,
    method: session.method,
    created_at: session.createdAt.toISOString(),
    seen_at: session.seenAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
  };
}

export function passkeyView({ id, name, createdAt, usedAt }: Passkey) {
  return { object: 'passkey', id, name, created_at: createdAt.toISOString(), used_at: usedAt?.toISOString() ?? null };
}

export async function meView(people: People, personId: string, sessionId: string) {
  const person = await selectPerson(people.db, personId);
  const memberships = await people.members.ofPerson(personId);
  const member = await people.staff.find(personId);
  const session = (await people.sessions.list(personId)).find(({ id }) => id === sessionId);
  const viewed = session && viewedAccount(session, people.clock.now());
  const last = memberships.find(({ accountId }) => accountId === person.lastAccount) ?? memberships[0];
  return {
    object: 'me',
    person: personView(person),
    accounts: memberships.map(ownAccountView),
    account_id: viewed ?? last?.accountId ?? null,
    staff: member
      ? { role: member.role, second_factor_missing: people.settings.staffSecondFactor && !session?.secondFactor }
      : null,
    viewing: viewed === undefined ? null : { account_id: viewed, until: session?.viewUntil?.toISOString() },
    has_password: person.passwordHash !== null,
    password_change_required: await people.operator.owesPassword(person),
    second_factor: person.totpConfirmed,
    passkeys: (await people.passkeys.list(personId)).length,
  };
}
