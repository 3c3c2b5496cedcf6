/** What the knowledge service refuses, and how it says so. */
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { reasons } from '../core/reasons.ts';
import { isUniqueViolation } from '../platform/db/index.ts';

const WHAT = {
  bases: ['پایگاه دانش', 'knowledge bases'],
  documents: ['سند', 'documents'],
  bytes: ['بایت', 'bytes'],
} as const;

export function limitReached(what: keyof typeof WHAT, limit: number): GatewayError {
  const [fa, en] = WHAT[what];
  return invalidRequest(undefined, reasons.custom(`حد مجاز ${limit} ${fa} است.`, `The limit is ${limit} ${en}.`), {
    detail: { limit: `knowledge_${what}`, limit_value: limit },
  });
}

export function noSuchBase(id: string): GatewayError {
  return new GatewayError('not_found', {
    reason: reasons.custom(
      `پایگاه دانش «${id.slice(0, 64)}» پیدا نشد.`,
      `There is no knowledge base '${id.slice(0, 64)}'.`,
    ),
  });
}

export function noSuchDocument(id: string): GatewayError {
  return new GatewayError('not_found', {
    reason: reasons.custom(`سند «${id.slice(0, 64)}» پیدا نشد.`, `There is no document '${id.slice(0, 64)}'.`),
  });
}

export function refuseDocument(id: string): never {
  throw noSuchDocument(id);
}

export const limitedKey = reasons.custom(
  'کلیدی که به پایگاه‌های نام‌برده محدود است نمی‌تواند پایگاه تازه بسازد.',
  'A key that is limited to named knowledge bases cannot create one.',
);

export function refuseTaken(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw new GatewayError('conflict', {
    cause: error,
    reason: reasons.custom(
      'سند دیگری با همین نام یا محتوا در این پایگاه هست.',
      'Another document of this base has the same name or content.',
    ),
  });
}
