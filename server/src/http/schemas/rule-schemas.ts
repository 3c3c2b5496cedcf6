/** Rules of accounts and keys as they are given and shown, made from their declaration (core/fields/key-rules.ts). */
import Type from 'typebox';
import {
  ACCOUNT_RULE_FIELDS,
  CALENDAR_FIELDS,
  KEY_RULE_FIELDS,
  LIMIT_REQUEST_FIELDS,
} from '../../core/fields/index.ts';
import { inputObject, nullable, responseObject, Time, Toman } from '../openapi/building-blocks.ts';
import { inputFields, responseFields } from '../openapi/field-schema.ts';

export const AccountRulesInput = inputObject(inputFields(ACCOUNT_RULE_FIELDS), 'GivenAccountRules');
export const RequestedLimits = inputObject(inputFields(LIMIT_REQUEST_FIELDS), 'WishedLimits');
export const AccountRulesResponse = responseObject(responseFields(ACCOUNT_RULE_FIELDS), 'AccountRules');
export const KeyRulesInput = inputObject(inputFields(KEY_RULE_FIELDS), 'GivenKeyRules');
export const KeyRulesResponse = responseObject(responseFields(KEY_RULE_FIELDS), 'KeyRules');
export const CalendarInput = inputObject(inputFields(CALENDAR_FIELDS), 'GivenCalendar');
export const CalendarResponse = responseObject(responseFields(CALENDAR_FIELDS), 'Calendar');

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
