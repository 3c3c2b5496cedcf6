/** One finished request as spans: the request itself, and below it one span for each provider that was asked. */
import { toTomanText } from '../core/money.ts';
import { completionTokens, promptTokens } from '../core/usage.ts';
import type { Attributes, Span } from '../platform/telemetry/index.ts';
import type { AttemptRecord, RequestRecord } from '../requestlog/index.ts';
import { ATTRIBUTE, OWN, operationOf } from './conventions.ts';

export interface RequestSpanTerms {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  /** The request's messages, where the operator wants them on the span. */
  inputMessages: string | undefined;
  /** Makes an id for an attempt that has none, because its provider was never called. */
  newSpanId(): string;
}

export function requestSpans(record: RequestRecord, terms: RequestSpanTerms): Span[] {
  const { traceId, spanId, parentSpanId } = terms;
  const operation = operationOf(record.endpoint);
  const request: Span = {
    traceId,
    spanId,
    parentSpanId,
    name: `${operation} ${record.model}`.trim(),
    kind: 'server',
    startMs: record.createdAt,
    endMs: record.createdAt + record.durationMs,
    attributes: { ...requestAttributes(record, operation), [ATTRIBUTE.inputMessages]: terms.inputMessages },
    error: record.errorCode ?? (record.state === 'completed' ? undefined : record.state),
  };
  const attempts = record.attempts.map((attempt): Span => {
    const failed = attempt.outcome !== 'ok';
    return {
      traceId,
      spanId: attempt.spanId ?? terms.newSpanId(),
      parentSpanId: spanId,
      name: `${operation} ${attempt.provider}`,
      kind: 'client',
      startMs: attempt.startedAt,
      endMs: attempt.startedAt + attempt.durationMs,
      attributes: attemptAttributes(attempt, record, operation),
      error: failed ? attempt.outcome : undefined,
    };
  });
  return [request, ...attempts];
}

function requestAttributes(record: RequestRecord, operation: string): Attributes {
  const { usage } = record;
  const buckets = usage?.buckets ?? {};
  const written = (buckets.cacheWrite5m ?? 0) + (buckets.cacheWrite1h ?? 0);
  return {
    [ATTRIBUTE.operation]: operation,
    [ATTRIBUTE.requestModel]: record.model,
    [ATTRIBUTE.requestStream]: record.stream,
    [ATTRIBUTE.provider]: record.provider ?? undefined,
    [ATTRIBUTE.inputTokens]: usage ? promptTokens(usage) : undefined,
    [ATTRIBUTE.outputTokens]: usage ? completionTokens(usage) : undefined,
    [ATTRIBUTE.cacheReadTokens]: buckets.cacheRead,
    [ATTRIBUTE.cacheWriteTokens]: written > 0 ? written : undefined,
    [ATTRIBUTE.reasoningTokens]: buckets.reasoning,
    [ATTRIBUTE.firstChunkSeconds]: record.firstEventMs === null ? undefined : record.firstEventMs / 1000,
    [ATTRIBUTE.errorType]: record.errorCode ?? undefined,
    [ATTRIBUTE.httpStatus]: record.status,
    [OWN.requestId]: record.id,
    [OWN.account]: record.accountId,
    [OWN.key]: record.keyId,
    [OWN.endpoint]: record.endpoint,
    [OWN.state]: record.state,
    [OWN.costToman]: toTomanText(record.cost),
    [OWN.usageSource]: usage?.source,
  };
}

function attemptAttributes(attempt: AttemptRecord, record: RequestRecord, operation: string): Attributes {
  return {
    [ATTRIBUTE.operation]: operation,
    [ATTRIBUTE.provider]: attempt.provider,
    [ATTRIBUTE.requestModel]: record.model,
    [ATTRIBUTE.firstChunkSeconds]: attempt.firstEventMs === null ? undefined : attempt.firstEventMs / 1000,
    [ATTRIBUTE.httpStatus]: attempt.status ?? undefined,
    [ATTRIBUTE.errorType]: attempt.outcome === 'ok' ? undefined : attempt.outcome,
    [OWN.requestId]: record.id,
    [OWN.route]: attempt.route,
    [OWN.outcome]: attempt.outcome,
  };
}
