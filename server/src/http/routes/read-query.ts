/** Query strings are text; the schema says which of them mean numbers and switches. */
import type { TObject } from 'typebox';

export function readQuery(input: Record<string, unknown>, schema: TObject | undefined): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) query[name] = readValue(value, typeOf(schema, name));
  return query;
}

function typeOf(schema: TObject | undefined, name: string): unknown {
  return (schema?.properties[name] as { type?: unknown } | undefined)?.type;
}

function readValue(value: unknown, type: unknown): unknown {
  if (typeof value !== 'string') return value;
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}(\.\d+)?$/.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
