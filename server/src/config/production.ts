/**
 * The one place that decides what production is: NODE_ENV=production, as the image, the service unit and the chart set
 * it. What exists only for trying the service out is then present only where the configuration names it:
 * DARGAH_SANDBOX, `sandbox: true` in the file for the models, DARGAH_FIRST_CREDIT. Outside of production all of it is
 * present, so that a bare machine is enough.
 */
import type { Variables } from './variables.ts';

/** Simulated models, the bank that gives play money, the messenger that keeps messages instead of sending them. */
const SANDBOXES = ['models', 'bank', 'messenger'] as const;
export type Sandbox = (typeof SANDBOXES)[number];

export function isProduction(variables: Variables): boolean {
  return variables['NODE_ENV']?.trim() === 'production';
}

/** Which sandboxes this process has. */
export function sandboxesOf(variables: Variables): ReadonlySet<Sandbox> {
  return new Set(isProduction(variables) ? SANDBOXES.filter((one) => namedIn(variables).includes(one)) : SANDBOXES);
}

/** Returns the first word of DARGAH_SANDBOX that names no sandbox, if there is one. */
export function wrongSandbox(variables: Variables): { name: string; allowed: readonly string[] } | undefined {
  const name = namedIn(variables).find((one) => !SANDBOXES.some((known) => known === one));
  return name === undefined ? undefined : { name, allowed: SANDBOXES };
}

function namedIn(variables: Variables): string[] {
  return variables['DARGAH_SANDBOX']?.split(/[\s,]+/).filter((one) => one !== '') ?? [];
}
