/** The doors that routes stand behind: each finds out who is calling, or refuses. */
import type { IncomingHttpHeaders } from 'node:http';
import type { DoorAccess } from '@dargah/api/access.ts';
import type { Method } from '@dargah/api/describe-route.ts';
import type { MemberRole, StaffRole } from '@dargah/core/roles.ts';
import type { Call } from '../../gateway/index.ts';

/** What a door may look at; the body is not among it. */
export interface DoorVisit {
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
  /** What a door adds to the answer: a session in use renews its cookie. */
  answerHeaders: Record<string, string>;
}

export interface Visitor {
  /** Who it is, for the trail of changes. */
  actor: string;
}

export interface PersonVisitor extends Visitor {
  personId: string;
  sessionId: string;
}

export interface AccountVisitor extends Visitor {
  accountId: string;
  role: MemberRole;
  /** Null for a management key. */
  personId: string | null;
  sessionId: string | null;
}

export interface StaffVisitor extends Visitor {
  isStaff: true;
  role: StaffRole;
  /** Null for the operator's token. */
  personId: string | null;
  sessionId: string | null;
}

export interface VisitorAt {
  open: Visitor;
  person: PersonVisitor;
  console: AccountVisitor;
  operator: StaffVisitor;
}

/** Each throws a GatewayError where the caller may not pass. */
export type Doors = {
  [D in DoorAccess['door']]: (visit: DoorVisit, access: Extract<DoorAccess, { door: D }>) => Promise<VisitorAt[D]>;
};
