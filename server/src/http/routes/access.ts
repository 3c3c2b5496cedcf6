/** Who may call a route, as data: the server asks it before anything of a request is read, and tests walk all of it. */
import type { Endpoint } from '../../core/endpoints.ts';
import type { OperatorScope } from '../../core/operator-scopes.ts';
import { type MemberRole, STAFF_ROLES, type StaffRole } from '../../core/roles.ts';

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
  /** Everybody: signing in, prices, status. */
  | { readonly guard: 'open' }
  /** Whoever bears an API key; the rules of the key are checked for this endpoint. */
  | { readonly guard: 'key'; readonly endpoint: Endpoint }
  /** Whoever is signed in, for what is their own and no account's: sessions, passkeys, the list of accounts. */
  | {
      readonly guard: 'person';
      /** Open also while the password that we made is still to be replaced. */
      readonly beforePassword?: true;
      readonly freshProof?: true;
    }
  /** A member of the account in one of these roles, or a management key of the account that covers the resource. */
  | {
      readonly guard: 'console';
      readonly resource: Resource;
      readonly act: 'read' | 'write';
      readonly roles: readonly MemberRole[];
      /** Only a person: a management key cannot do this, whatever it covers. */
      readonly personOnly?: true;
      readonly freshProof?: true;
    }
  /** Staff in one of these roles, the operator's token of the environment, or a named token that has the scope. */
  | {
      readonly guard: 'operator';
      readonly roles: readonly StaffRole[];
      /** Who sees it of one account that the call names (`account_id`), and not of all. */
      readonly ofOneAccount?: readonly StaffRole[];
      /** Undefined: no named token may do this, whatever its scopes. */
      readonly scope?: OperatorScope;
      readonly freshProof?: true;
    };

export type Guard = Access['guard'];

/** Routes whose guard asks for a person, a management key or the operator's token; API keys are checked by the gateway. */
export type GuardedAccess = Exclude<Access, { guard: 'key' }>;

export function staff<const R extends readonly StaffRole[]>(...roles: R) {
  return { guard: 'operator', roles } as const;
}

/** What a named token with this scope may do too. Who works here, and what lets people or programs in, has none. */
export function scoped<const S extends OperatorScope, A extends Extract<Access, { guard: 'operator' }>>(
  scope: S,
  access: A,
) {
  return { ...access, scope };
}

/** Nothing here shows a secret; whoever works here may look. */
export const STAFF_READ = scoped('read', staff(...STAFF_ROLES));
/** What the service earns and what it costs. */
export const MONEY_READ = scoped('read', staff('owner', 'finance'));
/** Money of one account is seen by whoever works with it, money of all accounts is not. */
export const ACCOUNT_MONEY_READ = { ...MONEY_READ, ofOneAccount: ['support', 'viewer'] } as const;
/** Those who look at an account as its customer does. */
export const VIEW_AS = staff('owner', 'support');

export function member<const R extends readonly MemberRole[]>(resource: Resource, act: 'read' | 'write', ...roles: R) {
  return { guard: 'console', resource, act, roles } as const;
}
