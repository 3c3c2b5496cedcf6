/** JSON in one spelling: equal values give equal texts, in whatever order their fields were written. */
import { isJsonObject, type Json } from './json.ts';

/** Fields without a value are left out, as JSON does. */
export function sortedJson(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map((entry) => sortedJson(entry)).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const fields: string[] = [];
  for (const name of Object.keys(value).sort()) {
    const field = value[name];
    if (field !== undefined) fields.push(`${JSON.stringify(name)}:${sortedJson(field)}`);
  }
  return `{${fields.join(',')}}`;
}
