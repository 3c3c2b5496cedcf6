/** The account's wallet, limits and audit log, described. */

import { MEMBER_ROLES } from '@dargah/core/roles.ts';
import Type from 'typebox';
import { member } from '../access.ts';
import { inputObject, nullable, PAGE_QUERY, pageOf, responseObject, Time, Toman } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { AUDIT_LOG_ENTRY } from '../schemas/audit-log-schema.ts';
import { OwnCaps, SpendPeriod, Wallet } from '../schemas/rule-schemas.ts';

export const getWallet = describeRoute({
  method: 'GET',
  path: '/api/console/wallet',
  operationId: 'getOwnWallet',
  tag: 'Wallet',
  access: member('wallet', 'read', ...MEMBER_ROLES),
  summary: { fa: 'کیف پول', en: 'Balance, what is held, spend per period, and how long it lasts' },
  result: responseObject(
    {
      object: Type.Literal('wallet'),
      ...Wallet.properties,
      spend: Type.Array(SpendPeriod),
      daily_pace: nullable(Toman),
      days_left: nullable(Type.Number({ description: 'At the pace of the last seven days.' })),
    },
    'OwnWallet',
  ),
});

export const listTransfers = describeRoute({
  method: 'GET',
  path: '/api/console/wallet/transfers',
  operationId: 'listOwnTransfers',
  tag: 'Wallet',
  access: member('wallet', 'read', 'owner', 'admin', 'billing'),
  summary: { fa: 'گردش حساب', en: 'Every movement of the wallet, newest first' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(
    responseObject(
      {
        object: Type.Literal('transfer'),
        id: Type.String(),
        kind: Type.String(),
        amount: Toman,
        request_id: nullable(Type.String()),
        note: nullable(Type.String()),
        created_at: Time,
      },
      'OwnTransfer',
    ),
  ),
});

const Window = responseObject({
  limit: nullable(Type.Integer()),
  used: Type.Integer(),
  remaining: nullable(Type.Integer()),
  reset_ms: Type.Number(),
});

export const getLimits = describeRoute({
  method: 'GET',
  path: '/api/console/limits',
  operationId: 'getOwnLimits',
  tag: 'Limits',
  access: member('account', 'read', ...MEMBER_ROLES),
  summary: { fa: 'حدهای حساب در این لحظه', en: 'The limits of the account as they are now' },
  result: responseObject(
    {
      object: Type.Literal('limits'),
      requests: Window,
      caps: Type.Array(
        responseObject(
          { ...SpendPeriod.properties, set_by: nullable(Type.Enum(['service', 'account'])) },
          'AccountCap',
        ),
        { description: 'Those in force: where both staff and the account set one, the stricter.' },
      ),
      own_caps: OwnCaps,
      models: nullable(Type.Array(Type.String())),
      endpoints: nullable(Type.Array(Type.String())),
      wallet_minimum: Toman,
    },
    'OwnLimits',
  ),
});

export const listOwnTrail = describeRoute({
  method: 'GET',
  path: '/api/console/trail',
  operationId: 'listOwnTrail',
  tag: 'Account',
  access: member('account', 'read', 'owner', 'admin'),
  summary: { fa: 'چه کسی چه چیزی را تغییر داد', en: 'Who changed what in this account' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(responseObject(AUDIT_LOG_ENTRY, 'OwnTrailEvent')),
});
