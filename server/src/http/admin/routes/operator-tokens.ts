/** Tokens of programs that work on the operator API, described. Only owners make and revoke them; a token never can. */
import Type from 'typebox';
import { OPERATOR_SCOPES } from '../../../core/operator-scopes.ts';
import { inputObject, nullable, pageOf, responseObject, Time } from '../../openapi/building-blocks.ts';
import { staff } from '../../routes/access.ts';
import { describeRoute } from '../../routes/describe-route.ts';

const tag = 'Operator tokens';
const path = '/api/admin/operator-tokens';
const OWNER = staff('owner');

const Scope = Type.Enum(OPERATOR_SCOPES, {
  description:
    '`read`: what staff sees, money included. `catalog`: models, routes, groups, prices, margins, rates. `providers`: providers and their credentials. `accounts`: accounts, keys, knowledge bases. `credit`: transfers by hand and gift codes. `payments`: orders and refunds. `support`: tickets, announcements, incidents. `service`: branding and replicas.',
});

const tokenFields = {
  object: Type.Literal('operator_token'),
  id: Type.String(),
  name: Type.String(),
  source: Type.Enum(['named', 'environment'], {
    description:
      '`environment` is DARGAH_OPERATOR_TOKEN: it may do what an owner may and ends where the servers start without it.',
  }),
  last4: nullable(Type.String()),
  scopes: Type.Array(Scope),
  state: Type.Enum(['live', 'expired', 'revoked', 'off'], {
    description: '`off`: the setting `operator_tokens` lets no token in.',
  }),
  expires_at: nullable(Time),
  created_by: nullable(Type.String()),
  created_at: nullable(Time),
  last_used_at: nullable(Time),
  revoked_at: nullable(Time),
};
const OperatorTokenSchema = responseObject(tokenFields, 'OperatorToken');

export const listOperatorTokens = describeRoute({
  method: 'GET',
  path,
  operationId: 'listOperatorTokens',
  tag,
  access: OWNER,
  summary: { fa: 'توکن‌های گرداننده', en: 'Operator tokens, newest first' },
  result: pageOf(OperatorTokenSchema),
});

export const createOperatorToken = describeRoute({
  method: 'POST',
  path,
  operationId: 'createOperatorToken',
  tag,
  access: { ...OWNER, freshProof: true },
  summary: { fa: 'ساختن توکن گرداننده', en: 'Make an operator token; its text is shown once' },
  body: inputObject(
    {
      name: Type.String({ minLength: 1, maxLength: 80 }),
      scopes: Type.Array(Scope, { maxItems: OPERATOR_SCOPES.length, description: 'At least one.' }),
      expires_at: Type.Optional(
        Type.String({ maxLength: 40, description: 'At most a year from now; after 90 days when it is not given.' }),
      ),
    },
    'NewOperatorToken',
  ),
  status: 201,
  result: responseObject({ ...tokenFields, token: Type.String() }, 'FreshOperatorToken'),
  errors: ['conflict'],
  example: { name: 'nightly report', scopes: ['read'] },
});

export const revokeOperatorToken = describeRoute({
  method: 'DELETE',
  path: `${path}/:id`,
  operationId: 'revokeOperatorToken',
  tag,
  access: OWNER,
  summary: { fa: 'ابطال توکن گرداننده', en: 'Revoke an operator token; every replica refuses it at once' },
  result: OperatorTokenSchema,
  errors: ['not_found'],
});
