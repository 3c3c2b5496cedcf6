/** A batch as OpenAI and as Anthropic show it. */
import type { ResultOf } from '@dargah/api/describe-route.ts';
import type { getBatch, getMessageBatch } from '@dargah/api/public/batches.ts';
import type { Batch } from '../../batches/index.ts';
import { money, toTomanText } from '../../core/money.ts';

type OpenaiView = ResultOf<typeof getBatch>;

const seconds = (time: Date): number => Math.floor(time.getTime() / 1_000);

export function batchView(batch: Batch): OpenaiView {
  const { inputTokens, outputTokens } = batch;
  return {
    id: batch.id,
    object: 'batch',
    endpoint: batch.endpoint,
    ...(batch.model !== null && { model: batch.model }),
    // Programs read it, so it is in English.
    errors: batch.errors && {
      object: 'list',
      data: batch.errors.map(({ message, ...error }) => ({ ...error, message: message.en })),
    },
    input_file_id: batch.inputFileId,
    completion_window: '24h',
    status: batch.state,
    ...(batch.outputFileId !== null && { output_file_id: batch.outputFileId }),
    ...(batch.errorFileId !== null && { error_file_id: batch.errorFileId }),
    created_at: seconds(batch.createdAt),
    ...timesOf(batch),
    expires_at: seconds(batch.expiresAt),
    request_counts: {
      total: batch.total,
      completed: batch.succeeded,
      failed: batch.failed + batch.expired,
    },
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: batch.cachedTokens },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: batch.reasoningTokens },
      total_tokens: inputTokens + outputTokens,
    },
    metadata: batch.metadata,
    svc: { cost: toTomanText(money(BigInt(batch.cost))), price_percent: batch.pricePercent },
  };
}

function timesOf({ state, startedAt, cancellingAt, endedAt }: Batch): Partial<OpenaiView> {
  const times: Partial<OpenaiView> = {};
  if (startedAt) times.in_progress_at = seconds(startedAt);
  if (cancellingAt) times.cancelling_at = seconds(cancellingAt);
  if (endedAt && state !== 'validating' && state !== 'in_progress' && state !== 'cancelling')
    times[`${state}_at`] = seconds(endedAt);
  return times;
}

export function messageBatchView(batch: Batch, address: string): ResultOf<typeof getMessageBatch> {
  const { id, total, succeeded, failed, cancelled, expired, endedAt, state } = batch;
  const ended = endedAt !== null;
  return {
    id,
    type: 'message_batch',
    processing_status: ended ? 'ended' : state === 'cancelling' ? 'canceling' : 'in_progress',
    request_counts: {
      processing: ended ? 0 : total - succeeded - failed,
      succeeded,
      errored: failed,
      canceled: cancelled,
      expired,
    },
    created_at: batch.createdAt.toISOString(),
    expires_at: batch.expiresAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
    cancel_initiated_at: batch.cancellingAt?.toISOString() ?? null,
    archived_at: null,
    results_url: ended ? `${address}/api/v1/messages/batches/${id}/results` : null,
  };
}
