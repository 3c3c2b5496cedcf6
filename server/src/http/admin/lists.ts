/** `/api/admin/catalog/lists`: lists of models and prices from outside. */

import { applyList, listLists, proposeList, useShippedList, withdrawList } from '@dargah/api/admin/lists.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { ListAdmin } from '../../catalog/index.ts';
import type { Json } from '../../core/json.ts';
import type { Register } from '../routes/register.ts';

export function priceLists(register: Register, service: ListAdmin): void {
  register(proposeList, ({ body, actor }) =>
    service.propose({ url: body.url, document: body.document as Json | undefined }, actor),
  );
  register(listLists, async () => page(await service.list()));
  register(applyList, ({ params, body, actor }) =>
    service.apply(params.id, { insist: body.insist ?? false, effectiveAt: body.effective_at }, actor),
  );
  register(withdrawList, ({ params, actor }) => service.withdraw(params.id, actor));
  register(useShippedList, ({ actor }) => service.useShipped(actor));
}
