/** People and their accounts as answers show them. */

import type { OwnAccount, PersonSchema, SessionSchema } from '@dargah/api/console/console-schemas.ts';
import type { getMe } from '@dargah/api/console/me.ts';
import type { listPasskeys } from '@dargah/api/console/ways-in.ts';
import type { ResultOf } from '@dargah/api/describe-route.ts';
import type { Static } from 'typebox';
import { isBlocked } from '../../keys/index.ts';
import {
  type Membership,
  type Passkey,
  type People,
  type Person,
  type Session,
  selectPerson,
} from '../../people/index.ts';
import { viewedAccount } from '../people-guards.ts';

export function personView({ id, name, language, createdAt }: Person): Static<typeof PersonSchema> {
  return { object: 'person', id, name, language, created_at: createdAt.toISOString() };
}

export function ownAccountView(membership: Membership, nowMs: number): Static<typeof OwnAccount> {
  const { accountId, accountName, role, closedAt, blocked } = membership;
  const isShut = blocked !== null && isBlocked(blocked, nowMs);
  return {
    id: accountId,
    name: accountName,
    role,
    closed: closedAt !== null,
    blocked: isShut ? { reason: blocked.reason, until: blocked.until?.toISOString() ?? null } : null,
  };
}

export function sessionView(session: Session, currentId: string | null): Static<typeof SessionSchema> {
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

export function passkeyView({ id, name, createdAt, usedAt }: Passkey): ResultOf<typeof listPasskeys>['data'][number] {
  return { object: 'passkey', id, name, created_at: createdAt.toISOString(), used_at: usedAt?.toISOString() ?? null };
}

export async function meView(people: People, personId: string, sessionId: string): Promise<ResultOf<typeof getMe>> {
  const person = await selectPerson(people.db, personId);
  const memberships = await people.members.ofPerson(personId);
  const member = await people.staff.find(personId);
  const session = (await people.sessions.list(personId)).find(({ id }) => id === sessionId);
  const viewed = session && viewedAccount(session, people.clock.now());
  const until = session?.viewUntil;
  const last = memberships.find(({ accountId }) => accountId === person.lastAccount) ?? memberships[0];
  return {
    object: 'me',
    person: personView(person),
    accounts: memberships.map((one) => ownAccountView(one, people.clock.now())),
    account_id: viewed ?? last?.accountId ?? null,
    staff: member
      ? { role: member.role, second_factor_missing: people.settings.staffSecondFactor && !session?.secondFactor }
      : null,
    viewing: viewed !== undefined && until ? { account_id: viewed, until: until.toISOString() } : null,
    has_password: person.passwordHash !== null,
    password_change_required: await people.operator.owesPassword(person),
    second_factor: person.totpConfirmed,
    passkeys: (await people.passkeys.list(personId)).length,
  };
}
