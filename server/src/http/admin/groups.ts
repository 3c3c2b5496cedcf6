/** `/api/admin/groups`: models under one name, with the one that answers for it. */

import { deleteGroup, listGroups, putGroup } from '@dargah/api/admin/groups.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { CatalogAdmin } from '../../catalog/index.ts';
import type { Json } from '../../core/json.ts';
import type { Register } from '../routes/register.ts';

export function groups(register: Register, service: CatalogAdmin['groups']): void {
  register(listGroups, async () => page(await service.list()));
  register(putGroup, ({ params, body, actor }) => service.put(params.id, body as Json, actor));
  register(deleteGroup, async ({ params, actor }) => {
    const id = params.id;
    await service.remove(id, actor);
    return { id, deleted: true };
  });
}
