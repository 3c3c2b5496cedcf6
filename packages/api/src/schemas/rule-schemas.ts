/**
 * Rules of accounts and keys in requests and answers, made from their declaration
 * (packages/core/src/fields/key-rules.ts).
 */

import {
  ACCOUNT_RULE_FIELDS,
  CALENDAR_FIELDS,
  KEY_RULE_FIELDS,
  LIMIT_REQUEST_FIELDS,
  OWN_CAP_FIELDS,
} from '@dargah/core/fields/index.ts';
import Type from 'typebox';
import { inputObject, nullable, responseObject, Time, Toman } from '../building-blocks.ts';
import { inputFields, responseFields } from '../field-schema.ts';

export const AccountRulesInput = inputObject(inputFields(ACCOUNT_RULE_FIELDS), 'GivenAccountRules');
export const RequestedLimits = inputObject(inputFields(LIMIT_REQUEST_FIELDS), 'WishedLimits');
export const AccountRulesResponse = responseObject(responseFields(ACCOUNT_RULE_FIELDS), 'AccountRules');
export const KeyRulesInput = inputObject(inputFields(KEY_RULE_FIELDS), 'GivenKeyRules');
export const KeyRulesResponse = responseObject(responseFields(KEY_RULE_FIELDS), 'KeyRules');
export const CalendarInput = inputObject(inputFields(CALENDAR_FIELDS), 'GivenCalendar');
export const CalendarResponse = responseObject(responseFields(CALENDAR_FIELDS), 'Calendar');

export const OwnCapsInput = inputObject(inputFields(OWN_CAP_FIELDS), 'GivenOwnCaps');
export const OwnCaps = responseObject(responseFields(OWN_CAP_FIELDS), 'OwnCaps');

export const SpendPeriod = responseObject(
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

export const Wallet = responseObject({ balance: Toman, held: Toman, available: Toman }, 'Wallet');
