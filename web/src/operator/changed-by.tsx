/**
 * What a role may read and not change: the values stay visible, controls are disabled, and one line says who may change
 * them.
 */
import type { ReactNode } from 'react';
import { useShellTexts } from '../shell/texts.ts';
import { type ForStaff, useStaffMay } from './may.ts';
import { useStaffTexts } from './staff/texts.ts';

interface Roles<D extends ForStaff> {
  roles: D['access']['roles'];
}

/** `<ChangedBy<typeof changeSettings> roles={['owner']}>`: the roles are those of the route, or it does not compile. */
export function ChangedBy<D extends ForStaff>({ roles, children }: Roles<D> & { children: ReactNode }) {
  if (useStaffMay<D>(roles)) return children;
  return (
    <fieldset className="unframed" disabled>
      <WhoMay<D> roles={roles} />
      {children}
    </fieldset>
  );
}

/** The line alone, where nothing but a control would stand. */
export function WhoMay<D extends ForStaff>({ roles }: Roles<D>) {
  const texts = useStaffTexts();
  const { staffRoles } = useShellTexts();
  if (useStaffMay<D>(roles)) return null;
  return <p className="who-may xs dim">{texts.whoMay(roles.map((role) => staffRoles[role] ?? role))}</p>;
}
