/** `/api/admin/groups`: models under one name, with the one that answers for it. */
import type { CatalogAdmin } from '../../catalog/index.ts';
import type { Json } from '../../core/json.ts';
import { Deleted, page, pageOf } from '../openapi/building-blocks.ts';
import { GivenGroup, GroupShape } from './catalog-shapes.ts';
import type { RegisterOperatorRoute } from './operator-routes.ts';

const tag = 'Groups';
const path = '/api/admin/groups';

export function groups(register: RegisterOperatorRoute, service: CatalogAdmin['groups']): void {
  register({
    method: 'GET',
    path,
    operationId: 'listGroups',
    tag,
    summary: { fa: 'فهرست گروه‌ها', en: 'List groups' },
    result: pageOf(GroupShape),
    run: async () => page(await service.list()),
  });
  register({
    method: 'PUT',
    path: `${path}/:id`,
    operationId: 'putGroup',
    tag,
    summary: { fa: 'ساختن یا جایگزینی گروه', en: 'Make or replace a group' },
    body: GivenGroup,
    result: GroupShape,
    errors: ['conflict'],
    example: { default: 'openai/gpt-4o-mini', models: ['openai/gpt-4o-mini'] },
    run: ({ params, body, actor }) => service.put(params['id'] ?? '', body as Json, actor),
  });
  register({
    method: 'DELETE',
    path: `${path}/:id`,
    operationId: 'deleteGroup',
    tag,
    summary: { fa: 'حذف گروه', en: 'Delete a group' },
    result: Deleted,
    errors: ['not_found', 'conflict'],
    run: async ({ params, actor }) => {
      const id = params['id'] ?? '';
      await service.remove(id, actor);
      return { id, deleted: true };
    },
  });
}
