/** Rules of accounts and keys as they are given and shown, made from their declaration (packages/core/src/fields/key-rules.ts). */

import { ACCOUNT_RULE_FIELDS, CALENDAR_FIELDS, KEY_RULE_FIELDS, WISH_FIELDS } from '@dargah/core/fields/index.ts';
import Type from 'typebox';
import { closed, nullable, shown, Time, Toman } from '../building-blocks.ts';
import { givenFields, shownFields } from '../field-schema.ts';

export const GivenAccountRules = closed(givenFields(ACCOUNT_RULE_FIELDS), 'GivenAccountRules');
export const WishedLimits = closed(givenFields(WISH_FIELDS), 'WishedLimits');
export const ShownAccountRules = shown(shownFields(ACCOUNT_RULE_FIELDS), 'AccountRules');
export const GivenKeyRules = closed(givenFields(KEY_RULE_FIELDS), 'GivenKeyRules');
export const ShownKeyRules = shown(shownFields(KEY_RULE_FIELDS), 'KeyRules');
export const GivenCalendar = closed(givenFields(CALENDAR_FIELDS), 'GivenCalendar');
export const ShownCalendar = shown(shownFields(CALENDAR_FIELDS), 'Calendar');

export const SpendPeriod = shown(
  {
    period: Type.Enum(['daily', 'monthly', 'total']),
    limit: nullable(Toman),
    spent: Toman,
    held: Toman,
    remaining: nullable(Toman),
    resets_at: nullable(Time),
  },
  'SpendPeriod',
);

export const Wallet = shown({ balance: Toman, held: Toman, available: Toman }, 'Wallet');
