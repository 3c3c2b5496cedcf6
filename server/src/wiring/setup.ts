/** The first-run guide, wired to what its steps look at. */
import type { Branding } from '../branding/index.ts';
import type { CatalogAdmin } from '../catalog/index.ts';
import type { Messenger } from '../messages/index.ts';
import type { Payments } from '../payments/index.ts';
import { createSetup, type Setup } from '../setup/index.ts';
import type { Foundation } from './foundation.ts';

export function openSetup(
  base: Foundation,
  parts: { branding: Branding; catalog: CatalogAdmin; messenger: Messenger; payments: Payments },
): Setup {
  return createSetup({
    ...base.tools,
    branding: parts.branding,
    catalog: () => base.catalog.current(),
    selling: parts.catalog.selling,
    messenger: parts.messenger,
    payments: parts.payments,
  });
}
