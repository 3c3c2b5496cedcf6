/**
 * An opening and its end as one record, field by field. `{ ...opening, state, … }` would read nicer and costs thirty times as
 * much: a literal of this size that begins with a spread becomes a slow dictionary object in V8 (about 30 µs, each request).
 */
import type { RequestClosing, RequestOpening, RequestRecord } from './record.ts';

export function closedRecord(opening: RequestOpening, closing: RequestClosing): RequestRecord {
  const record: RequestRecord = {
    id: opening.id,
    createdAt: opening.createdAt,
    accountId: opening.accountId,
    keyId: opening.keyId,
    endpoint: opening.endpoint,
    model: opening.model,
    stream: opening.stream,
    held: opening.held,
    priceVersion: opening.priceVersion,
    user: opening.user,
    state: closing.state,
    errorCode: closing.errorCode,
    status: closing.status,
    usage: closing.usage,
    cost: closing.cost,
    formula: closing.formula,
    attempts: closing.attempts,
    plan: closing.plan,
    providerCost: closing.providerCost,
    provider: closing.provider,
    firstEventMs: closing.firstEventMs,
    durationMs: closing.durationMs,
    counters: closing.counters,
    retrievedTokens: closing.retrievedTokens,
    warnings: closing.warnings,
  };
  if (opening.day !== undefined) record.day = opening.day;
  if (opening.budgets !== undefined) record.budgets = opening.budgets;
  return record;
}
