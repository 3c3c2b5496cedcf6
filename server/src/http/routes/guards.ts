/** The guards of routes: each authenticates the caller, or refuses. */
import type { IncomingHttpHeaders } from 'node:http';
import type { GuardedAccess } from '@dargah/api/access.ts';
import type { Method } from '@dargah/api/describe-route.ts';
import type { MemberRole, StaffRole } from '@dargah/core/roles.ts';
import type { Call } from '../../gateway/index.ts';

/** What a guard may read; the body is not part of it. */
export interface GuardRequest {
  call: Call;
  method: Method;
  headers: IncomingHttpHeaders;
  /** The account that a console call names: `x-svc-account`, or `account` in the address where no header can be set. */
  account: string | undefined;
  /** The account whose things a call of staff asks for: `account_id` in the address. */
  ofAccount: string | undefined;
  /** True for an action of a person. False for polls of open pages: they do not keep a session alive. */
  isUse: boolean;
  /** The caller came by https, as far as the socket or a trusted proxy tells. */
  isSecure: boolean;
  /** The route takes a file as a multipart form. */
  takesForm: boolean;
  /** What a guard adds to the answer: a session in use renews its cookie. */
  answerHeaders: Record<string, string>;
}

export interface Principal {
  /** Who it is, for the audit log. */
  actor: string;
}

export interface PersonPrincipal extends Principal {
  personId: string;
  sessionId: string;
}

export interface AccountPrincipal extends Principal {
  accountId: string;
  role: MemberRole;
  /** Null for a management key. */
  personId: string | null;
  sessionId: string | null;
}

export interface StaffPrincipal extends Principal {
  isStaff: true;
  role: StaffRole;
  /** Null for the operator's token. */
  personId: string | null;
  sessionId: string | null;
}

export interface PrincipalOf {
  open: Principal;
  person: PersonPrincipal;
  console: AccountPrincipal;
  operator: StaffPrincipal;
}

/** Each throws a GatewayError where the caller may not pass. */
export type Guards = {
  [D in GuardedAccess['guard']]: (
    visit: GuardRequest,
    access: Extract<GuardedAccess, { guard: D }>,
  ) => Promise<PrincipalOf[D]>;
};
