/** The roles of people in an account, and of staff. Plain data: the web imports it as it is. */

/** Ownership is transferred by a call of its own, never by an invitation or a change of role. */
export const GRANTED_ROLES = ['admin', 'developer', 'billing', 'viewer'] as const;
export type GrantedRole = (typeof GRANTED_ROLES)[number];

export const MEMBER_ROLES = ['owner', ...GRANTED_ROLES] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

export const STAFF_ROLES = ['owner', 'finance', 'support', 'viewer'] as const;
export type StaffRole = (typeof STAFF_ROLES)[number];
