/** `/api/v1/batches`: OpenAI's batches. Whichever vendor answers a line, every id is ours. */

import { cancelBatch, createBatch, getBatch, listBatches } from '@dargah/api/public/batches.ts';
import type { Batch, Batches } from '../../batches/index.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Call, Gateway } from '../../gateway/index.ts';
import { checkKeyRules, type KeySnapshot } from '../../keys/index.ts';
import type { KeyRoutes } from '../routes/key-routes.ts';
import { batchView } from '../views/batch-views.ts';
import { openaiPage } from './files.ts';
import type { LineEndpoints } from './line-endpoints.ts';

const DEFAULT_PAGE = 20;

export function batches(routes: KeyRoutes, gw: Gateway, service: Batches, endpoints: LineEndpoints): void {
  routes.free(createBatch, async ({ key, body, call }) => {
    const { endpoint, input_file_id: inputFileId, metadata = null, output_expires_after: kept } = body;
    mayAsk(endpoint, key, call, endpoints, gw);
    const batch = await service.create({
      accountId: key.account.id,
      keyId: key.id,
      dialect: 'openai',
      endpoint,
      inputFileId,
      metadata,
      pricePercent: gw.settings.batchPricePercent,
      keepSeconds: kept?.seconds,
    });
    return batchView(batch);
  });
  routes.free(listBatches, async ({ key, query }) => {
    const { after, limit = DEFAULT_PAGE } = query;
    const found = await service.list(key.account.id, { dialect: 'openai', after, limit });
    return openaiPage(found.batches.map(batchView), found.more);
  });
  routes.free(getBatch, async ({ key, params }) =>
    batchView(known(await service.find(key.account.id, params.id, 'openai'))),
  );
  // A batch that has ended meanwhile is returned as it ended.
  routes.free(cancelBatch, async ({ key, params }) =>
    batchView(known(await service.cancel(key.account.id, params.id, 'openai'))),
  );
}

/** A key that may not call the endpoint itself may not call it through a batch. */
export function mayAsk(
  address: string,
  key: KeySnapshot,
  { ip, referrer }: Pick<Call, 'ip' | 'referrer'>,
  endpoints: LineEndpoints,
  gw: Gateway,
): void {
  const endpoint = endpoints.get(address);
  if (!endpoint) throw new GatewayError('not_found');
  checkKeyRules(key, { endpoint: endpoint.name, ip, referrer, nowMs: gw.clock.now() });
}

/** Another account's batch looks exactly like one that never existed. */
export function known(batch: Batch | undefined): Batch {
  if (!batch) throw new GatewayError('not_found');
  return batch;
}
