/** The guards of the console and of the operator API: sessions, management keys, operator tokens. */

import { type Access, VIEW_AS } from '@dargah/api/access.ts';
import type { StaffRole } from '@dargah/core/roles.ts';
import type { AccountService } from '../accounts/index.ts';
import { GatewayError } from '../core/errors.ts';
import type { Call } from '../gateway/index.ts';
import { blockRefusal, isBlocked } from '../keys/index.ts';
import {
  type FoundSession,
  isProofFresh,
  MANAGEMENT_PREFIX,
  type Membership,
  OPERATOR_TOKEN_PREFIX,
  type People,
  type Session,
  selectPerson,
} from '../people/index.ts';
import type { TokenOwner } from '../platform/operator-token.ts';
import { readSession, refuseForeignOrigin, refuseOtherContent, sessionCookie } from './console/cookie.ts';
import { httpReasons } from './reasons.ts';
import type { AccountPrincipal, GuardRequest, Guards, PersonPrincipal, StaffPrincipal } from './routes/guards.ts';

/** Returns undefined when the token opens nothing. The audit log names the owner as the actor. */
export type TokenOwnerOf = (token: string | undefined) => TokenOwner | undefined;

export interface PeopleGuardsOptions {
  people: People;
  accounts: Pick<AccountService, 'get'>;
  tokenOwnerOf: TokenOwnerOf;
  /** Refuses an invalid secret; guessing is limited per address. */
  refuse(call: Call): Promise<never>;
}

type ConsoleAccess = Extract<Access, { guard: 'console' }>;
type OperatorAccess = Extract<Access, { guard: 'operator' }>;

export function peopleGuards(options: PeopleGuardsOptions): Guards {
  const { people, refuse } = options;
  const sessionOf = async (visit: GuardRequest): Promise<FoundSession | undefined> => {
    const secret = readSession(visit.headers, visit.isSecure);
    const session = secret === undefined ? undefined : await people.sessions.find(secret, visit.isUse);
    if (secret !== undefined && session?.renewed)
      visit.answerHeaders['set-cookie'] = sessionCookie(secret, visit.isSecure);
    return session;
  };
  /** Browsers send cookies with every request, so a change must also come from our own page. */
  const bySession = async (visit: GuardRequest, beforePassword = false): Promise<Session> => {
    const session = await sessionOf(visit);
    if (!session) return refuse(visit.call);
    if (isChange(visit)) {
      refuseForeignOrigin(visit.headers, visit.isSecure, true);
      refuseOtherContent(visit);
    }
    if (session.passwordOwed && !beforePassword) throw new GatewayError('password_change_required');
    return session;
  };
  return {
    open: async (visit) => {
      if (isChange(visit)) {
        refuseForeignOrigin(visit.headers, visit.isSecure, false);
        refuseOtherContent(visit);
      }
      return { actor: 'visitor' };
    },
    person: async (visit, access): Promise<PersonPrincipal> => {
      const session = await bySession(visit, access.beforePassword);
      refuseOldProof(people, session, access);
      const { id, personId } = session;
      return { actor: `person:${personId}`, personId, sessionId: id };
    },
    console: (visit, access) =>
      visit.call.keyText === undefined
        ? bySession(visit).then((session) => asMember(people, session, visit, access))
        : byManagementKey(options, visit.call.keyText, visit, access),
    operator: async (visit, access): Promise<StaffPrincipal> => {
      if (visit.call.keyText !== undefined) return byOperatorToken(options, visit.call.keyText, visit, access);
      const session = await bySession(visit);
      const member = await people.staff.find(session.personId);
      // A person who is not staff gets the same answer as a stranger.
      if (!member) throw new GatewayError('unauthorized');
      refuseOneFactor(people, session);
      if (!mayCall(member.role, access, visit)) throw new GatewayError('forbidden');
      refuseOldProof(people, session, access);
      return {
        isStaff: true,
        actor: `staff:${session.personId}`,
        role: member.role,
        personId: session.personId,
        sessionId: session.id,
      };
    },
  };
}

/** Where staff must have a second factor, only the pages that set one up open without it. */
function refuseOneFactor({ settings }: People, { secondFactor }: Session): void {
  if (settings.staffSecondFactor && !secondFactor) throw new GatewayError('second_factor_required');
}

function refuseOldProof({ clock }: People, session: Session, { freshProof }: { readonly freshProof?: true }): void {
  if (freshProof && !isProofFresh(session, clock.now())) throw new GatewayError('proof_required');
}

function mayCall(role: StaffRole, { roles, ofOneAccount }: OperatorAccess, { ofAccount }: GuardRequest): boolean {
  return roles.includes(role) || (ofAccount !== undefined && ofOneAccount?.includes(role) === true);
}

function isChange({ method }: GuardRequest): boolean {
  return method !== 'GET';
}

/**
 * The environment's token and the command line may do what an owner may. A named token may do what its scopes name, and never what
 * would outlive it: make staff or other tokens, or change what lets people in.
 */
async function byOperatorToken(
  { people, tokenOwnerOf, refuse }: PeopleGuardsOptions,
  text: string,
  visit: GuardRequest,
  { scope }: OperatorAccess,
): Promise<StaffPrincipal> {
  const owner = tokenOwnerOf(text);
  if (owner === 'operator') people.operatorTokens.noteEnvironment();
  if (owner) return { isStaff: true, actor: owner, role: 'owner', personId: null, sessionId: null };
  const isOurs = people.settings.operatorTokens && text.startsWith(OPERATOR_TOKEN_PREFIX);
  const token = isOurs ? await people.operatorTokens.find(text) : undefined;
  if (!token) return refuse(visit.call);
  if (scope === undefined) throw new GatewayError('forbidden', { instead: httpReasons.notForTokens });
  if (!token.scopes.includes(scope)) throw new GatewayError('forbidden', { instead: httpReasons.scopeMissing(scope) });
  return { isStaff: true, actor: `operator-token:${token.id}`, role: 'owner', personId: null, sessionId: null };
}

async function byManagementKey(
  { people, accounts, refuse }: PeopleGuardsOptions,
  text: string,
  visit: GuardRequest,
  access: ConsoleAccess,
): Promise<AccountPrincipal> {
  const key = text.startsWith(MANAGEMENT_PREFIX) ? await people.managementKeys.find(text, visit.call.ip) : undefined;
  if (!key) return refuse(visit.call);
  if (visit.account !== undefined && visit.account !== key.accountId) throw noSuchAccount();
  const level = key.resources[access.resource];
  const covers = level === 'write' || (level === 'read' && access.act === 'read');
  if (access.personOnly || !covers || !access.roles.includes('admin')) throw new GatewayError('forbidden');
  const { closedAt, blocked } = await accounts.get(key.accountId);
  if (blocked && isBlocked(blocked, people.clock.now())) throw blockRefusal(blocked);
  if (closedAt !== null && access.act === 'write') throw accountClosed();
  return {
    actor: `management-key:${key.id}`,
    accountId: key.accountId,
    role: 'admin',
    personId: null,
    sessionId: null,
  };
}

async function asMember(
  people: People,
  session: Session,
  visit: GuardRequest,
  access: ConsoleAccess,
): Promise<AccountPrincipal> {
  const { act, roles } = access;
  const { personId, id: sessionId } = session;
  const memberships = await people.members.ofPerson(personId);
  const viewed = viewedAccount(session, people.clock.now());
  const chosen = visit.account ?? viewed ?? (await defaultAccount(people, personId, memberships));
  const membership = memberships.find(({ accountId }) => accountId === chosen);
  if (membership) {
    if (!roles.includes(membership.role)) throw new GatewayError('forbidden');
    if (membership.closedAt !== null && act === 'write') throw accountClosed();
    refuseBlockedChange(people, membership, access);
    refuseOldProof(people, session, access);
    const { accountId, role } = membership;
    return { actor: `person:${personId}`, accountId, role, personId, sessionId };
  }
  if (chosen === undefined || chosen !== viewed) throw noSuchAccount();
  const staffed = await people.staff.find(personId);
  if (!staffed || !VIEW_AS.roles.some((role) => role === staffed.role)) throw noSuchAccount();
  refuseOneFactor(people, session);
  // Staff who view an account as its customer may change nothing.
  if (act === 'write' || !roles.includes('viewer')) throw new GatewayError('forbidden');
  return { actor: `staff:${personId}`, accountId: chosen, role: 'viewer', personId, sessionId };
}

/** People of a blocked account can read everything and write to support. */
function refuseBlockedChange({ clock }: People, { blocked }: Membership, { act, resource }: ConsoleAccess): void {
  if (act !== 'write' || resource === 'tickets') return;
  if (blocked && isBlocked(blocked, clock.now())) throw blockRefusal(blocked);
}

export function viewedAccount({ viewAccount, viewUntil }: Session, nowMs: number): string | undefined {
  return viewAccount !== null && viewUntil !== null && viewUntil.getTime() > nowMs ? viewAccount : undefined;
}

async function defaultAccount(
  people: People,
  personId: string,
  memberships: readonly Membership[],
): Promise<string | undefined> {
  if (memberships.length < 2) return memberships[0]?.accountId;
  const { lastAccount } = await selectPerson(people.db, personId);
  const last = memberships.find(({ accountId }) => accountId === lastAccount);
  return (last ?? memberships.find(({ closedAt }) => closedAt === null) ?? memberships[0])?.accountId;
}

function noSuchAccount(): GatewayError {
  return new GatewayError('not_found');
}

function accountClosed(): GatewayError {
  return new GatewayError('conflict', {
    reason: httpReasons.accountClosed,
  });
}
