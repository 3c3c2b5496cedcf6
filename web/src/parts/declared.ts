/** A field as the server declares it (packages/core/src/fields): its name and hint in the reader's language. */

import {
  ACCOUNT_RULE_FIELDS,
  CALENDAR_FIELDS,
  CAP_FIELDS,
  MAX_PRICE_FIELDS,
} from '@dargah/core/fields/account-rules.ts';
import { MODEL_FIELDS, PRICE_FIELDS, PROVIDER_FIELDS } from '@dargah/core/fields/catalog.ts';
import { DATA_POLICY_FIELDS } from '@dargah/core/fields/data-rules.ts';
import type { Field } from '@dargah/core/fields/field.ts';
import { KEY_RULE_FIELDS } from '@dargah/core/fields/key-rules.ts';
import { LIVE_SETTING_FIELDS } from '@dargah/core/fields/live-settings.ts';
import { RETENTION_FIELDS } from '@dargah/core/fields/retention.ts';
import { usePreferences } from '../preferences.tsx';

export function useDeclared(): (field: Field) => { label: string; hint: string } {
  const { language } = usePreferences();
  return ({ label, help }) => ({ label: label[language], hint: help[language] });
}

/** The limits of an account that a customer may ask to have raised. */
export const ACCOUNT_LIMITS: Readonly<Record<string, Field>> = { rpm: ACCOUNT_RULE_FIELDS.rpm, ...CAP_FIELDS };

/** What a change in the audit log may name. */
const TRAILED: Readonly<Record<string, Field>> = {
  ...KEY_RULE_FIELDS,
  ...CALENDAR_FIELDS,
  ...PROVIDER_FIELDS,
  ...MODEL_FIELDS,
  ...PRICE_FIELDS,
  ...LIVE_SETTING_FIELDS,
  ...RETENTION_FIELDS,
  'caps.daily': CAP_FIELDS.daily,
  'caps.monthly': CAP_FIELDS.monthly,
  'caps.total': CAP_FIELDS.total,
  'max_price.input': MAX_PRICE_FIELDS.input,
  'max_price.output': MAX_PRICE_FIELDS.output,
  'data_policy.no_training': DATA_POLICY_FIELDS.no_training,
  'data_policy.max_retention_days': DATA_POLICY_FIELDS.max_retention_days,
  'data_policy.regions': DATA_POLICY_FIELDS.regions,
  'own_caps.daily': CAP_FIELDS.daily,
  'own_caps.monthly': CAP_FIELDS.monthly,
};

export function useLimitName(): (limit: string) => string {
  const nameIn = useNameIn(ACCOUNT_LIMITS);
  return (limit) => nameIn(limit) ?? limit;
}

export function usePriceName(): (field: string) => string {
  const nameIn = useNameIn(PRICE_FIELDS);
  return (field) => nameIn(field) ?? field;
}

export function useTrailedName(): (field: string) => string | undefined {
  return useNameIn(TRAILED);
}

/** Whether the values of a field are numbers or amounts, as it is declared. */
export function useIsNumber(): (field: string) => boolean {
  return (field) => ['whole', 'toman', 'decimal', 'number'].includes(TRAILED[field]?.kind ?? '');
}

function useNameIn(fields: Readonly<Record<string, Field>>): (name: string) => string | undefined {
  const declared = useDeclared();
  return (name) => {
    const field = fields[name];
    return field && declared(field).label;
  };
}
