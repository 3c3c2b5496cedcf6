/** A field as the server declares it (server/src/core/fields): its name and hint in the reader's language. */
import type { Field } from '../../../server/src/core/fields/field.ts';
import { usePreferences } from '../preferences.tsx';

export function useDeclared(): (field: Field) => { label: string; hint: string } {
  const { language } = usePreferences();
  return ({ label, help }) => ({ label: label[language], hint: help[language] });
}
