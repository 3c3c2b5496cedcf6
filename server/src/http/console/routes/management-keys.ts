/** Keys that programs manage an account with, described. They reach the console's calls and never a model. */
import Type from 'typebox';
import { inputObject, nullable, pageOf, responseObject, Time } from '../../openapi/building-blocks.ts';
import { member } from '../../routes/access.ts';
import { describeRoute } from '../../routes/describe-route.ts';
import { Name } from '../console-schemas.ts';

const tag = 'Management keys';
const ManagementRules = responseObject({
  resources: Type.Record(Type.String(), Type.Enum(['read', 'write'])),
  ips: nullable(Type.Array(Type.String())),
  expires_at: nullable(Time),
});
const managementFields = {
  object: Type.Literal('management_key'),
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String(),
  last4: Type.String(),
  ...ManagementRules.properties,
  created_by: Type.String(),
  created_at: Time,
  last_used_at: nullable(Time),
  revoked_at: nullable(Time),
};
const ManagementKey = responseObject(managementFields, 'ManagementKey');
const managers = { ...member('management_keys', 'write', 'owner', 'admin'), personOnly: true } as const;

export const listManagementKeys = describeRoute({
  method: 'GET',
  path: '/api/console/management-keys',
  operationId: 'listManagementKeys',
  tag,
  access: { ...member('management_keys', 'read', 'owner', 'admin'), personOnly: true },
  summary: { fa: 'کلیدهای مدیریت', en: 'Management keys' },
  result: pageOf(ManagementKey),
});

export const createManagementKey = describeRoute({
  method: 'POST',
  path: '/api/console/management-keys',
  operationId: 'createManagementKey',
  tag,
  access: { ...managers, freshProof: true },
  summary: { fa: 'ساختن کلید مدیریت', en: 'Create a management key; its text is shown once' },
  body: inputObject(
    {
      name: Name,
      resources: Type.Record(Type.String({ maxLength: 32 }), Type.Enum(['read', 'write']), {
        description: 'Of account, members, keys, requests, wallet, knowledge, alerts, tickets, playground.',
      }),
      ips: Type.Optional(nullable(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 100 }))),
      expires_at: Type.Optional(nullable(Type.String({ maxLength: 40 }))),
    },
    'NewManagementKey',
  ),
  status: 201,
  result: responseObject({ ...managementFields, key: Type.String() }, 'FreshManagementKey'),
  example: { name: 'terraform', resources: { keys: 'write', requests: 'read' } },
});

export const revokeManagementKey = describeRoute({
  method: 'DELETE',
  path: '/api/console/management-keys/:id',
  operationId: 'revokeManagementKey',
  tag,
  access: managers,
  summary: { fa: 'ابطال کلید مدیریت', en: 'Revoke a management key' },
  result: ManagementKey,
  errors: ['not_found', 'conflict'],
});
