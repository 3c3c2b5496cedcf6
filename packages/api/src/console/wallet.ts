/** The wallet by day, described: what moved it, the charges behind a day and key, and the reminder to top it up. */
import { WALLET_KINDS } from '@dargah/core/wallet-kinds.ts';
import Type from 'typebox';
import { member } from '../access.ts';
import {
  inputObject,
  nullable,
  PAGE_QUERY,
  pageOf,
  responseObject,
  Time,
  Toman,
  TomanInput,
} from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import { Channel } from '../schemas/notice-schemas.ts';

const READ = member('wallet', 'read', 'owner', 'admin', 'billing');
const WRITE = member('wallet', 'write', 'owner', 'admin', 'billing');
const Day = Type.String({ maxLength: 40 });

export const listMovements = describeRoute({
  method: 'GET',
  path: '/api/console/wallet/movements',
  operationId: 'listMovements',
  tag: 'Wallet',
  access: READ,
  summary: {
    fa: 'گردش کیف پول به تفکیک روز و کلید',
    en: 'What moved the wallet by day and key, with the balance after each line',
  },
  description:
    'The charges of a day and key are one line; everything else is a line of its own. Days are those of the account’s time zone. Within a day charges come after everything else, so the balance at the top is the present one.',
  query: inputObject({
    ...PAGE_QUERY,
    kind: Type.Optional(Type.Enum([...WALLET_KINDS], { title: 'WalletKind' })),
    key_id: Type.Optional(Type.String({ maxLength: 64, description: 'Only charges of this key.' })),
    from: Type.Optional(Day),
    to: Type.Optional(Type.String({ maxLength: 40, description: 'The last day that is shown.' })),
  }),
  result: pageOf(
    responseObject(
      {
        object: Type.Literal('movement'),
        id: Type.String(),
        day: Type.String({ examples: ['2026-11-18'] }),
        kind: Type.String(),
        amount: Toman,
        balance: Type.String({ description: 'What the wallet held after this line, whatever is filtered.' }),
        key: nullable(responseObject({ id: Type.String(), name: nullable(Type.String()) })),
        requests: nullable(Type.Integer({ description: 'How many requests the charges of a day and key are.' })),
        request_id: nullable(Type.String()),
        order_id: nullable(Type.String()),
        note: nullable(Type.String()),
        created_at: nullable(Time),
      },
      'Movement',
    ),
  ),
});

export const listDayCharges = describeRoute({
  method: 'GET',
  path: '/api/console/wallet/charges',
  operationId: 'listDayCharges',
  tag: 'Wallet',
  access: READ,
  summary: { fa: 'هزینه‌های یک روز و کلید', en: 'The charges of one day and key, newest first' },
  description: 'For as long as the request log is kept; the line of the day stays.',
  query: inputObject({ ...PAGE_QUERY, day: Day, key_id: Type.String({ maxLength: 64 }) }),
  result: pageOf(
    responseObject(
      {
        object: Type.Literal('charge'),
        request_id: Type.String(),
        model: Type.String(),
        amount: Toman,
        created_at: Time,
      },
      'DayCharge',
    ),
  ),
});

const Reminder = responseObject(
  {
    object: Type.Literal('top_up_reminder'),
    enabled: Type.Boolean(),
    below: Toman,
    amount: Toman,
    channels: Type.Array(Channel),
  },
  'TopUpReminder',
);

export const getTopUpReminder = describeRoute({
  method: 'GET',
  path: '/api/console/wallet/reminder',
  operationId: 'getTopUpReminder',
  tag: 'Wallet',
  access: READ,
  summary: { fa: 'یادآوری شارژ', en: 'At which balance you are reminded to top up' },
  result: Reminder,
});

export const setTopUpReminder = describeRoute({
  method: 'PUT',
  path: '/api/console/wallet/reminder',
  operationId: 'setTopUpReminder',
  tag: 'Wallet',
  access: WRITE,
  summary: { fa: 'تنظیم یادآوری شارژ', en: 'Be reminded with a payment link when the balance falls below an amount' },
  description: 'Told once each time the balance falls below it; topping up above it arms it again.',
  body: inputObject(
    {
      enabled: Type.Boolean(),
      below: TomanInput,
      amount: TomanInput,
      channels: Type.Array(Channel, { minItems: 1, maxItems: 4 }),
    },
    'GivenTopUpReminder',
  ),
  result: Reminder,
  example: { enabled: true, below: 200_000, amount: 1_000_000, channels: ['console', 'email', 'sms'] },
});
