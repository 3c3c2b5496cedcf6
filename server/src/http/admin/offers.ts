/**
 * What providers offer and how it is sold: drafts that are published as one change, and the switch that opens sales.
 */

import {
  confirmSelling,
  discardChange,
  draftChange,
  getChange,
  getOffer,
  getSelling,
  listChanges,
  publishChange,
  redraftChange,
  undoChange,
} from '@dargah/api/admin/offers.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { StaffRole } from '@dargah/core/roles.ts';
import type { AskModels, CatalogAdmin } from '../../catalog/index.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { Register } from '../routes/register.ts';

export function offers(register: Register, catalog: CatalogAdmin, ask: AskModels): void {
  const { changes } = catalog;
  register(getOffer, ({ params }) => catalog.offer(params.id, ask));
  register(listChanges, async () => page(await changes.list()));
  register(getChange, ({ params }) => changes.get(params.id));
  register(draftChange, ({ body, actor }) => changes.draft(body as Json, actor));
  register(redraftChange, ({ params, body }) => changes.redraft(params.id, body as Json));
  register(discardChange, async ({ params }) => {
    await changes.discard(params.id);
    return { id: params.id, deleted: true };
  });
  register(publishChange, async ({ params, actor, who }) => {
    await refuseForeignEdits(changes, params.id, who.role);
    return changes.publish(params.id, actor);
  });
  register(undoChange, async ({ params, actor, who }) => {
    await refuseForeignEdits(changes, params.id, who.role);
    return changes.undo(params.id, actor);
  });
}

/** Only owners change routes and models; finance may change prices too. */
async function refuseForeignEdits(changes: CatalogAdmin['changes'], id: string, role: StaffRole): Promise<void> {
  const kinds = await changes.kindsOf(id);
  const onlyPrices = [...kinds].every((kind) => kind === 'price' || kind === 'unpin');
  if (!onlyPrices && role !== 'owner') throw new GatewayError('forbidden');
}

export function selling(register: Register, service: CatalogAdmin['selling']): void {
  register(getSelling, () => service.view());
  register(confirmSelling, ({ body, actor }) =>
    service.confirm({ exchangeRate: String(body.exchange_rate), margin: String(body.margin) }, actor),
  );
}
