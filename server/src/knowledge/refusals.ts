/** The refusals of the knowledge service. */

import { GatewayError, invalidRequest } from '../core/errors.ts';
import { reasons } from '../core/reasons.ts';
import { isUniqueViolation } from '../platform/db/index.ts';
import { knowledgeReasons } from './reasons.ts';

const WHAT = {
  bases: ['پایگاه دانش', 'knowledge bases'],
  documents: ['سند', 'documents'],
  bytes: ['بایت', 'bytes'],
} as const;

export function limitReached(what: keyof typeof WHAT, limit: number): GatewayError {
  const [fa, en] = WHAT[what];
  return invalidRequest(undefined, knowledgeReasons.limitReached(limit, fa, en), {
    detail: { limit: `knowledge_${what}`, limit_value: limit },
  });
}

export function noSuchBase(id: string): GatewayError {
  return new GatewayError('not_found', {
    reason: reasons.noSuchBase(id.slice(0, 64)),
  });
}

export function refuseDocument(id: string): never {
  throw new GatewayError('not_found', {
    reason: knowledgeReasons.noSuchDocument(id.slice(0, 64)),
  });
}

export function refuseTaken(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw new GatewayError('conflict', {
    cause: error,
    reason: knowledgeReasons.documentTaken,
  });
}
