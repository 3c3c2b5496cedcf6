/** What my role may do here. The server checks it again; this only hides controls that would be refused. */
import type { Access } from '@dargah/api/access.ts';
import { useMe } from '../session.tsx';

export interface ForStaff {
  readonly access: Extract<Access, { guard: 'operator' }>;
}

/** `useStaffMay<typeof decideWish>(['owner', 'support'])`: the roles are those of the route, or it does not compile. */
export function useStaffMay<D extends ForStaff>(roles: D['access']['roles']): boolean {
  const mine = useMe().staff?.role;
  return roles.some((role) => role === mine);
}
