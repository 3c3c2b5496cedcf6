/**
 * `/api/v1/messages/batches`: Anthropic's batches. The body is one JSON document of up to hundreds of megabytes: its
 * requests are read from the wire one by one and stored as the lines of a file.
 */

import type { IncomingMessage } from 'node:http';
import {
  cancelMessageBatch,
  createMessageBatch,
  deleteMessageBatch,
  getMessageBatch,
  getMessageBatchResults,
  listMessageBatches,
} from '@dargah/api/public/batches.ts';
import {
  type Batch,
  type Batches,
  BodyNoRequests,
  batchReasons,
  HIDDEN_INPUT,
  KEPT_SECONDS,
  LineRefused,
  RequestTooLong,
  readBatchLine,
  splitRequests,
} from '../../batches/index.ts';
import { jsonAnswer } from '../../core/answer.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { reasons } from '../../core/reasons.ts';
import { admitFree, type Call, type Gateway } from '../../gateway/index.ts';
import { type UploadFiles, UploadsFull, UploadTooLarge } from '../../platform/upload-files.ts';
import { anthropicMessagesClient } from '../../protocols/index.ts';
import { RawAnswer } from '../routes/handler-result.ts';
import type { KeyRoutes } from '../routes/key-routes.ts';
import { messageBatchView } from '../views/batch-views.ts';
import { known, mayAsk } from './batches.ts';
import { jsonlAnswer } from './files.ts';
import type { LineEndpoints } from './line-endpoints.ts';

const ADDRESS = '/v1/messages';
const DEFAULT_PAGE = 20;
const NEWLINE = Buffer.from('\n');
const JSON_TYPE = /^application\/json\b/i;

interface MessageBatchServices {
  service: Batches;
  uploads: UploadFiles;
  endpoints: LineEndpoints;
  /** The service's own address: results are fetched there, with the caller's key. */
  site(): { address: string };
  maxFileBytes: number;
  maxLineBytes: number;
  maxLines: number;
}

export function messageBatches(routes: KeyRoutes, gw: Gateway, services: MessageBatchServices): void {
  const { service, site } = services;
  const options = { codec: anthropicMessagesClient };
  const view = (batch: Batch) => messageBatchView(batch, site().address);
  routes.upload(createMessageBatch, anthropicMessagesClient, async (call, body) =>
    jsonAnswer(view(await create(call, body, services, gw))),
  );
  routes.free(
    listMessageBatches,
    async ({ key, query }) => {
      const { after_id: after, before_id: before, limit = DEFAULT_PAGE } = query;
      const found = await service.list(key.account.id, { dialect: 'anthropic', after, before, limit });
      const data = found.batches.map(view);
      const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
      return { data, ...ends, has_more: found.more };
    },
    options,
  );
  const found = async (accountId: string, id: string) => known(await service.find(accountId, id, 'anthropic'));
  routes.free(getMessageBatch, async ({ key, params }) => view(await found(key.account.id, params.id)), options);
  routes.free(
    getMessageBatchResults,
    async ({ key, params }) => {
      const batch = await found(key.account.id, params.id);
      return new RawAnswer(jsonlAnswer(service.results(batch), 'application/x-jsonl'));
    },
    options,
  );
  routes.free(
    cancelMessageBatch,
    async ({ key, params }) => view(known(await service.cancel(key.account.id, params.id, 'anthropic'))),
    options,
  );
  routes.free(
    deleteMessageBatch,
    async ({ key, params: { id } }) => {
      if (!(await service.remove(key.account.id, id, 'anthropic'))) throw new GatewayError('not_found');
      return { id, type: 'message_batch_deleted' };
    },
    options,
  );
}

async function create(call: Call, body: IncomingMessage, services: MessageBatchServices, gw: Gateway): Promise<Batch> {
  const { service, uploads } = services;
  const key = await admitFree(call, gw);
  mayAsk(ADDRESS, key, call, services.endpoints, gw);
  const accountId = key.account.id;
  await service.checkRoom(accountId);
  if (!JSON_TYPE.test(call.contentType ?? ''))
    throw invalidRequest('Content-Type', reasons.mustBe('Content-Type', expected.exactly('application/json')));
  const received = await uploads.receive(linesOf(body, services), services.maxFileBytes).catch((error: unknown) => {
    throw explained(error, services);
  });
  try {
    const asked = { accountId, purpose: HIDDEN_INPUT, name: 'requests.jsonl', keepSeconds: KEPT_SECONDS };
    const file = await service.files.create({ ...asked, bytes: received.size }, received.read());
    const order = { accountId, keyId: key.id, dialect: 'anthropic', endpoint: ADDRESS, inputFileId: file.id } as const;
    return await service
      .create({ ...order, metadata: null, pricePercent: gw.settings.batchPricePercent })
      .catch(async (error: unknown) => {
        // The file is deleted: nobody could see it, and it would count against the account for as long as files are
        // kept.
        await service.files.remove(accountId, file.id);
        throw error;
      });
  } finally {
    await received.remove();
  }
}

/** The whole body is refused when one of its requests is invalid: nothing has been stored by then. */
async function* linesOf(
  body: IncomingMessage,
  { maxLineBytes, maxLines }: MessageBatchServices,
): AsyncGenerator<Uint8Array> {
  const seen = new Set<string>();
  let index = 0;
  for await (const member of splitRequests(body, maxLineBytes)) {
    const { customId } = requestOf(member, index);
    if (seen.has(customId)) throw invalidRequest(`requests.${index}.custom_id`, batchReasons.customIdTwice);
    seen.add(customId);
    if (++index > maxLines) throw invalidRequest('requests', batchReasons.tooManyLines(maxLines));
    yield asOneLine(member);
    yield NEWLINE;
  }
  if (index === 0) throw invalidRequest('requests', batchReasons.noRequests);
}

function requestOf(member: Buffer, index: number) {
  try {
    return readBatchLine(member, 'anthropic', ADDRESS);
  } catch (error) {
    if (!(error instanceof LineRefused)) throw error;
    const { param, message } = error.fault;
    throw invalidRequest(param === null ? `requests.${index}` : `requests.${index}.${param}`, message);
  }
}

/** JSON texts contain no raw line breaks, so each one outside of them can become a space. */
function asOneLine(member: Buffer): Buffer {
  for (let at = 0; at < member.length; at++) if (member[at] === 10 || member[at] === 13) member[at] = 32;
  return member;
}

function explained(error: unknown, { maxFileBytes, maxLineBytes }: MessageBatchServices): unknown {
  if (error instanceof GatewayError) return error;
  if (error instanceof BodyNoRequests) return invalidRequest('requests', batchReasons.bodyNoRequests);
  if (error instanceof RequestTooLong)
    return invalidRequest(`requests.${error.index}`, reasons.tooLong(`requests.${error.index}`, maxLineBytes), {
      status: 413,
    });
  if (error instanceof UploadTooLarge)
    return invalidRequest('requests', reasons.tooLong('requests', maxFileBytes), { status: 413 });
  if (error instanceof UploadsFull) return new GatewayError('overloaded', { retryAfterMs: 5_000, cause: error });
  // The client left, or its connection broke.
  return invalidRequest('requests', batchReasons.bodyNoRequests, { cause: error });
}
