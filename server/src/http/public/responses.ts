/** The Responses protocol: answers, what is stored of them, and a quick no to clients that would rather have a WebSocket. */
import type { FastifyInstance } from 'fastify';
import { jsonAnswer } from '../../core/answer.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import { admitFree, answerResponses, type Call, type ClientProtocol } from '../../gateway/index.ts';
import { outputOf, type ResponseStore, type StoredResponse } from '../../responses/index.ts';
import type { DirectLane } from '../direct-lane.ts';
import { type Serving, serve } from '../serve.ts';

const PATH = '/api/v1/responses';

export function responses(
  app: FastifyInstance,
  lane: DirectLane,
  serving: Serving,
  protocol: ClientProtocol,
  store: ResponseStore,
): void {
  const { gw } = serving;
  const { client } = protocol;
  lane.post(PATH, 'responses', client, (call) => answerResponses(call, protocol, store, gw));
  app.get(
    PATH,
    serve(serving, 'responses', client, (_call, request) => {
      // Codex opens a WebSocket first; with this answer it falls back at once, with any other after six seconds.
      throw new GatewayError(request.headers.upgrade === undefined ? 'not_found' : 'upgrade_required');
    }),
  );
  const stored = async (call: Call, params: unknown): Promise<StoredResponse> => {
    const key = await admitFree(call, gw);
    const found = await store.find(key.account.id, idIn(params));
    // Another account's answer looks exactly like one that never was.
    if (!found) throw new GatewayError('not_found');
    return found;
  };
  app.get(
    `${PATH}/:id`,
    serve(serving, 'responses', client, async (call, { params, query }) => {
      const found = await stored(call, params);
      if ((query as Query).stream === 'true') {
        throw invalidRequest('stream', reasons.mustBe('stream', 'false: a stored answer is given whole'));
      }
      return jsonAnswer(found.response);
    }),
  );
  app.get(
    `${PATH}/:id/input_items`,
    serve(serving, 'responses', client, async (call, { params, query }) => {
      const { accountId, id } = await stored(call, params);
      return jsonAnswer(pageOf((await store.chain(accountId, id)) ?? [], query as Query));
    }),
  );
  app.delete(
    `${PATH}/:id`,
    serve(serving, 'responses', client, async (call, { params }) => {
      const key = await admitFree(call, gw);
      const id = idIn(params);
      if (!(await store.remove(key.account.id, id))) throw new GatewayError('not_found');
      return jsonAnswer({ id, object: 'response', deleted: true });
    }),
  );
}

interface Query {
  stream?: string;
  limit?: string;
  order?: string;
  after?: string;
}

const DEFAULT_PAGE = 20;
const MAX_PAGE = 100;

/** Everything the model was given, newest first unless asked otherwise. */
function pageOf(chain: readonly StoredResponse[], { limit, order = 'desc', after }: Query): JsonObject {
  const size = limit === undefined ? DEFAULT_PAGE : Number(limit);
  if (!Number.isInteger(size) || size < 1 || size > MAX_PAGE) {
    throw invalidRequest('limit', reasons.mustBe('limit', `an integer from 1 to ${MAX_PAGE}`));
  }
  if (order !== 'asc' && order !== 'desc') throw invalidRequest('order', reasons.oneOf('order', ['asc', 'desc']));
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

function idIn(params: unknown): string {
  return (params as { id: string }).id;
}
