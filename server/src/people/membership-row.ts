/** A membership with what its account is: name, closed, blocked. */
import type { MemberRole } from '@dargah/core/roles.ts';
import type { AccountBlock } from '../keys/index.ts';

export interface Membership {
  accountId: string;
  accountName: string;
  closedAt: Date | null;
  blocked: AccountBlock | null;
  personId: string;
  role: MemberRole;
  createdAt: Date;
}

export interface MembershipRow extends Omit<Membership, 'blocked'> {
  blockedAt: Date | null;
  blockedUntil: Date | null;
  blockedReason: string | null;
}

export function toMembership({ blockedAt, blockedUntil, blockedReason, ...row }: MembershipRow): Membership {
  const blocked = blockedAt === null ? null : { at: blockedAt, until: blockedUntil, reason: blockedReason ?? '' };
  return { ...row, blocked };
}

export const MEMBERSHIP = `m.account_id as "accountId", a.name as "accountName", a.closed_at as "closedAt",
  a.blocked_at as "blockedAt", a.blocked_until as "blockedUntil", a.blocked_reason as "blockedReason",
  m.person_id as "personId", m.role, m.created_at as "createdAt"`;
