/**
 * Who may call a route, as data: the server checks it before it reads anything of a request, and tests walk all of it.
 */
import type { Endpoint } from '@dargah/core/endpoints.ts';
import type { OperatorScope } from '@dargah/core/operator-scopes.ts';
import { type MemberRole, STAFF_ROLES, type StaffRole } from '@dargah/core/roles.ts';

/** What a management key can be allowed to read or to write. */
export const RESOURCES = [
  'account',
  'members',
  'keys',
  'requests',
  'wallet',
  'knowledge',
  'alerts',
  'tickets',
  'playground',
  'management_keys',
] as const;
export type Resource = (typeof RESOURCES)[number];

/** `freshProof`: a session opens it only when its person proved who they are within the last five minutes (people/proofs.ts). */
export type Access =
  /** Open to everybody: signing in, prices, status. */
  | { readonly guard: 'open' }
  /** Callers with an API key; the rules of the key are checked for this endpoint. */
  | { readonly guard: 'key'; readonly endpoint: Endpoint }
  /** People who are signed in, for what belongs to them and to no account: sessions, passkeys, the list of accounts. */
  | {
      readonly guard: 'person';
      /** Also open to a person who must still replace the password that we made for them. */
      readonly beforePassword?: true;
      readonly freshProof?: true;
    }
  /** A member of the account in one of these roles, or a management key of the account that covers the resource. */
  | {
      readonly guard: 'console';
      readonly resource: Resource;
      readonly act: 'read' | 'write';
      readonly roles: readonly MemberRole[];
      /** Open to persons only: a management key cannot do this, whatever its scopes. */
      readonly personOnly?: true;
      readonly freshProof?: true;
    }
  /** Staff in one of these roles, the operator's token of the environment, or a named token that has the scope. */
  | {
      readonly guard: 'operator';
      readonly roles: readonly StaffRole[];
      /** Roles that may read it for one account named by the call (`account_id`), but not for all accounts. */
      readonly ofOneAccount?: readonly StaffRole[];
      /** Undefined when no named token may do this, whatever its scopes. */
      readonly scope?: OperatorScope;
      readonly freshProof?: true;
    };

export type Guard = Access['guard'];

/** Routes whose guard asks for a person, a management key or the operator's token; API keys are checked by the gateway. */
export type GuardedAccess = Exclude<Access, { guard: 'key' }>;

export function staff<const R extends readonly StaffRole[]>(...roles: R) {
  return { guard: 'operator', roles } as const;
}

/**
 * The scope by which a named token may do this too. Routes about staff, and about what lets people or programs in, have
 * none.
 */
export function scoped<const S extends OperatorScope, A extends Extract<Access, { guard: 'operator' }>>(
  scope: S,
  access: A,
) {
  return { ...access, scope };
}

/** Nothing that these routes show is secret, so every role of staff may read them. */
export const STAFF_READ = scoped('read', staff(...STAFF_ROLES));
/** What the service earns and what it costs. */
export const MONEY_READ = scoped('read', staff('owner', 'finance'));
/** Money of one account may be read by whoever works with that account; money of all accounts may not. */
export const ACCOUNT_MONEY_READ = { ...MONEY_READ, ofOneAccount: ['support', 'viewer'] } as const;
/** Roles that may view an account as its customer does. */
export const VIEW_AS = staff('owner', 'support');

export function member<const R extends readonly MemberRole[]>(resource: Resource, act: 'read' | 'write', ...roles: R) {
  return { guard: 'console', resource, act, roles } as const;
}
