/** The Responses protocol: answers, what is stored of them, and a quick no to clients that would rather have a WebSocket. */
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import { answerResponses, type Gateway } from '../../gateway/index.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import { openaiResponsesClient } from '../../protocols/index.ts';
import { outputOf, type ResponseStore, type StoredResponse } from '../../responses/index.ts';
import type { QueryOf } from '../routes/describe-route.ts';
import type { KeyRoutes } from '../routes/key-routes.ts';
import { createResponse, deleteResponse, getResponse, listResponseInput, openResponsesSocket } from './routes/chat.ts';

export const RESPONSES = { client: openaiResponsesClient, responseIdPrefix: 'resp_' };

export function responses(routes: KeyRoutes, gw: Gateway, store: ResponseStore): void {
  const { client } = RESPONSES;
  routes.model(createResponse, client, (call) => answerResponses(call, RESPONSES, store, gw));
  const stored = async (key: KeySnapshot, id: string): Promise<StoredResponse> => {
    const found = await store.find(key.account.id, id);
    // Another account's answer looks exactly like one that never was.
    if (!found) throw new GatewayError('not_found');
    return found;
  };
  routes.refusing(openResponsesSocket, client, ({ headers }) => {
    // Codex opens a WebSocket first; with this answer it falls back at once, with any other after six seconds.
    throw new GatewayError(headers.upgrade === undefined ? 'not_found' : 'upgrade_required');
  });
  const options = { codec: client };
  routes.free(
    getResponse,
    async ({ key, params, query }) => {
      const found = await stored(key, params.id);
      if (query.stream)
        throw invalidRequest(
          'stream',
          reasons.custom(
            'پاسخ ذخیره‌شده یک‌جا داده می‌شود؛ «stream» باید «false» باشد.',
            "'stream' must be false: a stored answer is given whole.",
          ),
        );
      return found.response;
    },
    options,
  );
  routes.free(
    listResponseInput,
    async ({ key, params, query }) => {
      const { accountId, id } = await stored(key, params.id);
      return pageOf((await store.chain(accountId, id)) ?? [], query);
    },
    options,
  );
  routes.free(
    deleteResponse,
    async ({ key, params: { id } }) => {
      if (!(await store.remove(key.account.id, id))) throw new GatewayError('not_found');
      return { id, object: 'response', deleted: true };
    },
    options,
  );
}

const DEFAULT_PAGE = 20;

/** Everything the model was given, newest first unless asked otherwise. */
function pageOf(
  chain: readonly StoredResponse[],
  { limit: size = DEFAULT_PAGE, order = 'desc', after }: QueryOf<typeof listResponseInput>,
): JsonObject {
  const items = chain.flatMap((link, at) => [...inputItems(link), ...(at < chain.length - 1 ? outputOf(link) : [])]);
  if (order === 'desc') items.reverse();
  const from = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1;
  const data = items.slice(from, from + size);
  return {
    object: 'list',
    data,
    first_id: data[0]?.['id'] ?? null,
    last_id: data.at(-1)?.['id'] ?? null,
    has_more: from + size < items.length,
  };
}

/** Items as the protocol lists them: each with an id and its content as parts, whatever short form the client wrote. */
function inputItems({ id, input }: StoredResponse): JsonObject[] {
  return input.map((item, at) => {
    const { content, role } = item;
    const type = item['type'] ?? 'message';
    const text = role === 'assistant' ? 'output_text' : 'input_text';
    return {
      id: `${type === 'message' ? 'msg' : 'item'}_${id.slice(id.indexOf('_') + 1)}_in_${at}`,
      ...item,
      type,
      ...(typeof content === 'string' && { content: [{ type: text, text: content }] }),
    };
  });
}
