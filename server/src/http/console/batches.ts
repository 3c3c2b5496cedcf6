/** `/api/console/batches`: the batches of an account, whichever key made them. */
import { page } from '@dargah/api/building-blocks.ts';
import { cancelOwnBatch, downloadOwnBatch, getOwnBatch, listOwnBatches } from '@dargah/api/console/batches.ts';
import type { ResultOf } from '@dargah/api/describe-route.ts';
import type { Batch, Batches } from '../../batches/index.ts';
import { GatewayError } from '../../core/errors.ts';
import { money, toTomanText } from '../../core/money.ts';
import { jsonlAnswer } from '../public/files.ts';
import { RawAnswer } from '../routes/handler-result.ts';
import type { Register } from '../routes/register.ts';

const DEFAULT_PAGE = 50;

export function ownBatches(register: Register, batches: Batches): void {
  register(listOwnBatches, async ({ who, query }) => {
    const { after, limit = DEFAULT_PAGE } = query;
    const found = await batches.list(who.accountId, { after, limit });
    return page(found.batches.map(ownBatchView), found.more ? (found.batches.at(-1)?.id ?? null) : null);
  });
  register(getOwnBatch, async ({ who, params }) => ownBatchView(thatIs(await batches.find(who.accountId, params.id))));
  register(cancelOwnBatch, async ({ who, params }) =>
    ownBatchView(thatIs(await batches.cancel(who.accountId, params.id))),
  );
  register(downloadOwnBatch, async ({ who, params: { id, file } }) => {
    const batch = thatIs(await batches.find(who.accountId, id));
    const content = await batches.download(batch, file);
    if (!content) throw new GatewayError('not_found');
    const headers = { 'content-disposition': `attachment; filename="${id}-${file}.jsonl"` };
    return new RawAnswer({ ...jsonlAnswer(content, 'application/octet-stream'), headers });
  });
}

/** Another account's batch looks exactly like one that never existed. */
function thatIs(batch: Batch | undefined): Batch {
  if (!batch) throw new GatewayError('not_found');
  return batch;
}

function ownBatchView(batch: Batch): ResultOf<typeof getOwnBatch> {
  const { outputFileId, errorFileId, errors } = batch;
  return {
    object: 'batch',
    id: batch.id,
    protocol: batch.dialect,
    endpoint: batch.endpoint,
    key_id: batch.keyId,
    model: batch.model,
    state: batch.state,
    total: batch.total,
    succeeded: batch.succeeded,
    failed: batch.failed,
    cancelled: batch.cancelled,
    expired: batch.expired,
    input_tokens: batch.inputTokens,
    output_tokens: batch.outputTokens,
    cost: toTomanText(money(BigInt(batch.cost))),
    price_percent: batch.pricePercent,
    errors: (errors ?? []).map(({ code, line, message }) => ({ code, line, message })),
    downloads: [
      'input',
      ...(outputFileId === null ? [] : ['output' as const]),
      ...(errorFileId === null ? [] : ['errors' as const]),
    ],
    created_at: batch.createdAt.toISOString(),
    started_at: batch.startedAt?.toISOString() ?? null,
    ended_at: batch.endedAt?.toISOString() ?? null,
    expires_at: batch.expiresAt.toISOString(),
    delete_at: batch.deleteAt?.toISOString() ?? null,
  };
}
