/** The guards that routes stand behind: each finds out who is calling, or refuses. */
import type { IncomingHttpHeaders } from 'node:http';
import type { MemberRole, StaffRole } from '../../core/roles.ts';
import type { Call } from '../../gateway/index.ts';
import type { GuardedAccess } from './access.ts';
import type { Method } from './describe-route.ts';

/** What a guard may look at; the body is not among it. */
export interface GuardRequest {
  call: Call;
  method: Method;
  headers: IncomingHttpHeaders;
  /** The account that a console call names: `x-svc-account`, or `account` in the address where no header can be set. */
  account: string | undefined;
  /** The account whose things a call of staff asks for: `account_id` in the address. */
  ofAccount: string | undefined;
  /** Somebody does something. False for open pages that ask by themselves: they do not keep a session alive. */
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
