/** A field as the server declares it (server/src/core/fields): its name and hint in the reader's language. */
import type { Field } from '../../../server/src/core/fields/field.ts';
import { ACCOUNT_RULE_FIELDS, CAP_FIELDS } from '../../../server/src/core/fields/key-rules.ts';
import { usePreferences } from '../preferences.tsx';

export function useDeclared(): (field: Field) => { label: string; hint: string } {
  const { language } = usePreferences();
  return ({ label, help }) => ({ label: label[language], hint: help[language] });
}

/** The limits of an account that a customer may ask to have raised. */
export const ACCOUNT_LIMITS: Readonly<Record<string, Field>> = { rpm: ACCOUNT_RULE_FIELDS.rpm, ...CAP_FIELDS };

export function useLimitName(): (limit: string) => string {
  const declared = useDeclared();
  return (limit) => {
    const field = ACCOUNT_LIMITS[limit];
    return field === undefined ? limit : declared(field).label;
  };
}
