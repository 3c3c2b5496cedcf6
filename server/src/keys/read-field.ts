/** Reads a field from JSON or YAML by its declaration (packages/core/src/fields). Whatever is not understood is refused by name, never dropped. */

import { isRegion } from '@dargah/core/data-policy.ts';
import type { Field, FieldTable, ListField } from '@dargah/core/fields/index.ts';
import type { Text } from '@dargah/core/text.ts';
import { invalidRequest } from '../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { parseToman } from '../core/money.ts';
import { quoted, reasons } from '../core/reasons.ts';
import { parseHostPattern, parseRange } from './address-rules.ts';
import { parseTimeInput } from './date-inputs.ts';
import type { ReadOf } from './field-types.ts';

/** The largest amount a field takes; a larger one is a typing error. */
const MAX_TOMAN = 9_000_000_000_000n;

export function refuse(param: string, fa: string, en: string): never {
  throw invalidRequest(param, reasons.ofField(param, { fa, en }));
}

export function readObject(value: Json | undefined, param: string): JsonObject {
  return isJsonObject(value) ? value : refuse(param, 'باید یک شیء باشد.', 'must be an object.');
}

/** A field that is silently dropped is a limit that silently does not exist. */
export function refuseUnknownFields(object: JsonObject, known: FieldTable, param: string): void {
  for (const name of Object.keys(object)) {
    if (Object.hasOwn(known, name)) continue;
    const path = `${param}.${name}`;
    throw invalidRequest(path, reasons.notKnownAmong(path, Object.keys(known)));
  }
}

/** A group is read as the object that it must be; its fields are read by field-values.ts. */
export function readField<F extends Field>(field: F, value: Json, param: string): ReadOf<F> {
  const none = field.nullable === true;
  if (value === null && none) return null as ReadOf<F>;
  const read = readValue(field, value, param, none);
  return read as ReadOf<F>;
}

function readValue(field: Field, value: Json, param: string, none: boolean): unknown {
  const orNone = none ? { fa: ' یا «null» (نامحدود)', en: ', or null for no limit' } : { fa: '', en: '' };
  const orNull = none ? { fa: ' یا «null»', en: ', or null' } : { fa: '', en: '' };
  switch (field.kind) {
    case 'flag':
      return typeof value === 'boolean'
        ? value
        : refuse(param, 'باید «true» یا «false» باشد.', 'must be true or false.');
    case 'whole': {
      const { min, max } = field;
      if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
      const fa = `باید عدد صحیح از ${min} تا ${max}${orNone.fa} باشد.`;
      return refuse(param, fa, `must be a whole number from ${min} to ${max}${orNone.en}.`);
    }
    case 'toman': {
      const amount = typeof value === 'number' || typeof value === 'string' ? parseToman(value) : undefined;
      if (amount !== undefined && amount >= 0n && amount <= MAX_TOMAN * 1_000_000n) return amount;
      const fa = `باید مبلغی به تومان (حداکثر شش رقم اعشار)${orNone.fa} باشد.`;
      return refuse(param, fa, `must be an amount in toman with at most six decimals${orNone.en}.`);
    }
    case 'text': {
      const { minLength, maxLength } = field;
      if (typeof value === 'string' && value.length >= minLength && value.length <= maxLength) return value;
      const fa = `باید متنی تا ${maxLength} کاراکتر${orNull.fa} باشد.`;
      return refuse(param, fa, `must be text of at most ${maxLength} characters${orNull.en}.`);
    }
    case 'time':
      return (
        timeOf(value) ??
        refuse(
          param,
          `باید تاریخی مانند «1406/01/01» یا زمانی مانند «2027-03-21T00:00:00+03:30»${orNull.fa} باشد.`,
          `must be a date such as 1406/01/01 or a time such as 2027-03-21T00:00:00+03:30${orNull.en}.`,
        )
      );
    case 'choice': {
      const found = field.values.find((one) => one === value);
      const { values } = field;
      return found ?? refuse(param, `باید ${quoted(values)} باشد.`, `must be ${values.join(' or ')}.`);
    }
    case 'list':
      return readList(field, value, param);
    case 'group': {
      const object = readObject(value, param);
      refuseUnknownFields(object, field.fields, param);
      return object;
    }
  }
}

/** What each kind of entry must be, and the entry as it is stored; undefined when it is not valid. */
const ENTRIES: Record<ListField['entry'], { expected: Text; read(entry: string): string | undefined }> = {
  text: { expected: { fa: 'متن', en: 'text' }, read: (entry) => entry },
  'knowledge-base': { expected: { fa: 'شناسه', en: 'an id' }, read: (entry) => entry },
  region: {
    expected: { fa: 'دو حرف کوچک لاتین مانند «de» یا «eu»', en: 'two small letters such as de or eu' },
    read: (entry) => (isRegion(entry) ? entry : undefined),
  },
  slug: {
    expected: { fa: 'حروف لاتین، رقم، نقطه، خط تیره یا زیرخط', en: 'letters, digits, dots, dashes, underscores' },
    read: (entry) => (/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(entry) ? entry : undefined),
  },
  model: {
    expected: { fa: 'شناسهٔ مدل یا «group:<name>»', en: 'a model id or group:<name>' },
    read: (entry) => (/^(?!group:$)[!-~]+$/.test(entry) ? entry : undefined),
  },
  endpoint: { expected: { fa: 'نام یک مسیر API', en: 'the name of an endpoint' }, read: (entry) => entry },
  address: {
    expected: { fa: 'آدرس IP یا CIDR', en: 'an IP address or CIDR range' },
    read: (entry) => (parseRange(entry) ? entry : undefined),
  },
  host: { expected: { fa: 'نام میزبان یا «*.example.com»', en: 'a host or *.example.com' }, read: parseHostPattern },
};

function readList({ entry: kind, maxItems, maxLength, values }: ListField, value: Json, param: string): string[] {
  if (!Array.isArray(value)) return refuse(param, 'باید فهرست یا «null» باشد.', 'must be a list, or null.');
  if (value.length > maxItems) {
    return refuse(param, `حداکثر ${maxItems} مورد می‌پذیرد.`, `holds at most ${maxItems} entries.`);
  }
  const { expected, read } = ENTRIES[kind];
  const words = values
    ? { fa: `یکی از ${quoted(values)}`, en: `one of ${values.join(', ')}` }
    : { fa: expected.fa, en: expected.en };
  const entries = value.map((item, index) => {
    const fits = typeof item === 'string' && item.length > 0 && item.length <= maxLength;
    const known = fits && (values === undefined || values.includes(item));
    const entry = known ? read(item) : undefined;
    return entry ?? refuse(`${param}.${index}`, `باید ${words.fa} باشد.`, `must be ${words.en}.`);
  });
  return [...new Set(entries)];
}

function timeOf(value: Json): number | undefined {
  return typeof value === 'string' ? parseTimeInput(value) : undefined;
}
