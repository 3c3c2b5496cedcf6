/** The replicas that share limits, described. */
import Type from 'typebox';
import { STAFF_READ, scoped, staff } from '../access.ts';
import { pageOf, responseObject } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';

const tag = 'Service';
const ReplicaSchema = responseObject(
  {
    id: Type.String(),
    living: Type.Boolean(),
    missing_since: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When the heartbeat of a dead replica ended.',
    }),
    outstanding: Type.Union([Type.String(), Type.Null()], {
      description:
        'Toman that a dead replica keeps from being spent: held by its requests, charged and not posted, or leased.',
    }),
    wallets: Type.Union([Type.Integer(), Type.Null()], { description: 'In how many wallets.' }),
  },
  'Replica',
);

export const listReplicas = describeRoute({
  method: 'GET',
  path: '/api/admin/replicas',
  operationId: 'listReplicas',
  tag,
  summary: { fa: 'نمونه‌های سرویس', en: 'Replicas that count together, also dead ones that still hold money' },
  description:
    'What a dead replica held, and what it charged and had not posted, stays counted until it is back and has posted it, or is forgotten. Empty without Redis.',
  result: pageOf(ReplicaSchema),
  access: STAFF_READ,
});

export const forgetReplica = describeRoute({
  method: 'DELETE',
  path: '/api/admin/replicas/:id',
  operationId: 'forgetReplica',
  tag,
  summary: {
    fa: 'کنار گذاشتن نمونهٔ ازکارافتاده',
    en: 'Write off what a dead replica held, or charged and never posted',
  },
  result: responseObject({ id: Type.String(), forgotten: Type.Boolean() }, 'ForgottenReplica'),
  errors: ['not_found'],
  access: scoped('service', staff('owner')),
});
