/** How each field of a rule is read from JSON or YAML. Whatever is not understood is refused by name, never dropped. */
import { invalidRequest } from '../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';
import { type Money, parseToman } from '../core/money.ts';
import { reasons } from '../core/reasons.ts';

/** The largest sum a bigint column of micro-toman holds, rounded down to something sayable. */
const MAX_TOMAN = 9_000_000_000_000n;
const MAX_LIST = 1_000;
const MAX_ENTRY_CHARS = 256;

export function refuse(param: string, fa: string, en: string): never {
  throw invalidRequest(param, reasons.custom(`«${param}» ${fa}`, `'${param}' ${en}`));
}

export function readObject(value: Json | undefined, param: string): JsonObject {
  return isJsonObject(value) ? value : refuse(param, 'باید یک شیء باشد.', 'must be an object.');
}

/** A field that is silently dropped is a limit that silently does not exist. */
export function refuseUnknownFields(object: JsonObject, known: readonly string[], param: string): void {
  for (const name of Object.keys(object)) {
    if (known.includes(name)) continue;
    const list = known.join(', ');
    refuse(`${param}.${name}`, `شناخته نیست. فیلدهای مجاز: ${list}.`, `is not known. Known fields: ${list}.`);
  }
}

export function readBoolean(value: Json, param: string): boolean {
  return typeof value === 'boolean' ? value : refuse(param, 'باید true یا false باشد.', 'must be true or false.');
}

/** A whole number of at least 0, or null for no limit. */
export function readLimit(value: Json, param: string, most: number): number | null {
  if (value === null) return null;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most) return value;
  return refuse(
    param,
    `باید عدد صحیح از ۰ تا ${most} یا null (بی‌حد) باشد.`,
    `must be a whole number from 0 to ${most}, or null for no limit.`,
  );
}

/** Toman as a number or exact decimal text, or null for no limit. */
export function readMoneyLimit(value: Json, param: string): Money | null {
  if (value === null) return null;
  const amount = typeof value === 'number' || typeof value === 'string' ? parseToman(value) : undefined;
  if (amount !== undefined && amount >= 0n && amount <= MAX_TOMAN * 1_000_000n) return amount;
  return refuse(
    param,
    'باید مبلغی به تومان (حداکثر شش رقم اعشار) یا null (بی‌حد) باشد.',
    'must be an amount in toman with at most six decimals, or null for no limit.',
  );
}

export function readText(value: Json, param: string): string | null {
  if (value === null) return null;
  if (typeof value === 'string' && value.length > 0 && value.length <= MAX_ENTRY_CHARS) return value;
  return refuse(
    param,
    `باید متنی تا ${MAX_ENTRY_CHARS} نویسه یا null باشد.`,
    `must be text of at most ${MAX_ENTRY_CHARS} characters, or null.`,
  );
}

/** A list of texts, or null for no restriction. `read` returns the entry as it is stored, undefined when it is not valid. */
export function readList<Entry extends string>(
  value: Json,
  param: string,
  expected: { fa: string; en: string },
  read: (entry: string) => Entry | undefined,
): Entry[] | null {
  if (value === null) return null;
  if (!Array.isArray(value)) return refuse(param, 'باید فهرست یا null باشد.', 'must be a list, or null.');
  if (value.length > MAX_LIST) {
    return refuse(param, `حداکثر ${MAX_LIST} مورد می‌پذیرد.`, `holds at most ${MAX_LIST} entries.`);
  }
  const entries = value.map((item, index) => {
    const fits = typeof item === 'string' && item.length > 0 && item.length <= MAX_ENTRY_CHARS;
    const entry = fits ? read(item) : undefined;
    return entry ?? refuse(`${param}.${index}`, `باید ${expected.fa} باشد.`, `must be ${expected.en}.`);
  });
  return [...new Set(entries)];
}

/** A point in time as RFC 3339 text with its zone, or null. */
export function readTime(value: Json, param: string): number | null {
  if (value === null) return null;
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i.test(value)) {
    const time = Date.parse(value);
    if (!Number.isNaN(time)) return time;
  }
  return refuse(
    param,
    'باید زمانی مانند 2027-03-21T00:00:00+03:30 یا null باشد.',
    'must be a time such as 2027-03-21T00:00:00+03:30, or null.',
  );
}
