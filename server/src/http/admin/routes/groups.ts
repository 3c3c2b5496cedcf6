import { Deleted, pageOf } from '../../openapi/building-blocks.ts';
import { STAFF_READ, scoped, staff } from '../../routes/access.ts';
import { describeRoute } from '../../routes/describe-route.ts';
import { GroupInput, GroupSchema } from '../catalog-schemas.ts';

const tag = 'Groups';
const path = '/api/admin/groups';
const WRITE = scoped('catalog', staff('owner'));

export const listGroups = describeRoute({
  method: 'GET',
  path,
  operationId: 'listGroups',
  tag,
  summary: { fa: 'فهرست گروه‌ها', en: 'List groups' },
  result: pageOf(GroupSchema),
  access: STAFF_READ,
});

export const putGroup = describeRoute({
  method: 'PUT',
  path: `${path}/:id`,
  operationId: 'putGroup',
  tag,
  summary: { fa: 'ساختن یا جایگزینی گروه', en: 'Make or replace a group' },
  body: GroupInput,
  result: GroupSchema,
  errors: ['conflict'],
  example: { default: 'openai/gpt-4o-mini', models: ['openai/gpt-4o-mini'] },
  access: WRITE,
});

export const deleteGroup = describeRoute({
  method: 'DELETE',
  path: `${path}/:id`,
  operationId: 'deleteGroup',
  tag,
  summary: { fa: 'حذف گروه', en: 'Delete a group' },
  result: Deleted,
  errors: ['not_found', 'conflict'],
  access: WRITE,
});
