/** The Responses protocol: answers, over HTTP and over a WebSocket, and what is stored of them. */

import type { ResultOf } from '@dargah/api/describe-route.ts';
import {
  cancelResponse,
  compactResponse,
  countResponseInput,
  createResponse,
  deleteResponse,
  getResponse,
  listResponseInput,
  openResponsesSocket,
} from '@dargah/api/public/chat.ts';
import type { Language } from '@dargah/core/text.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import {
  answerCompaction,
  answerInputTokens,
  answerResponses,
  BackgroundAnswers,
  type Call,
  continueStream,
  type Gateway,
  lastEventIdOf,
  memoryOf,
} from '../../gateway/index.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import { openaiResponsesClient } from '../../protocols/index.ts';
import { type ConversationStore, outputOf, type ResponseStore, type StoredResponse } from '../../responses/index.ts';
import { httpReasons } from '../reasons.ts';
import { RawAnswer } from '../routes/handler-result.ts';
import type { KeyRoutes } from '../routes/key-routes.ts';
import type { ServedSockets } from '../sockets/index.ts';
import { ResponsesSocket } from '../sockets/responses-socket.ts';
import { pageOfItems, typed } from './item-page.ts';

export const RESPONSES = { client: openaiResponsesClient, responseIdPrefix: 'resp_' };

export function responses(
  routes: KeyRoutes,
  gw: Gateway,
  store: ResponseStore,
  conversations: ConversationStore,
  { serving, sockets, handshake }: ServedSockets,
): void {
  const { client } = RESPONSES;
  const tools = { store, conversations, background: new BackgroundAnswers(store) };
  routes.model(countResponseInput, client, (call) => answerInputTokens(call, RESPONSES, tools, gw));
  routes.model(compactResponse, client, (call) => answerCompaction(call, RESPONSES, tools, gw));
  routes.model(createResponse, client, (call) => answerResponses(call, RESPONSES, tools, gw));
  const stored = async (key: KeySnapshot, id: string, call: Call): Promise<StoredResponse> => {
    const found = await store.find(key.account.id, id, memoryOf(call, gw));
    // Another account's answer looks exactly like one that never existed.
    if (!found) throw new GatewayError('not_found');
    return found;
  };
  /** Events of the Responses protocol are counted from 0, frames from 1. */
  const continued = async (id: string, startingAfter: number | undefined, key: KeySnapshot, call: Call) => {
    const after = startingAfter === undefined ? lastEventIdOf(call.headers) : startingAfter + 1;
    const requestId = `req_${id.slice(RESPONSES.responseIdPrefix.length)}`;
    const stream = { requestId, after, param: 'starting_after', wasMade: () => Promise.resolve(true) };
    return new RawAnswer(await continueStream(stream, key, gw));
  };
  // WebSockets are opened at this address; a plain GET finds nothing.
  routes.refusing(openResponsesSocket, client, () => {
    throw new GatewayError('not_found');
  });
  // Frames on a socket have no ids to continue from.
  const protocol = { ...RESPONSES, resumes: 'never' as const };
  const { path, access } = openResponsesSocket;
  handshake.open({
    path,
    endpoint: access.endpoint,
    codec: client,
    enter: (opened) => void new ResponsesSocket(opened, { serving, sockets, protocol, tools }),
  });
  const options = { codec: client };
  routes.free(
    getResponse,
    async ({ key, params, query, call }) => {
      const found = await stored(key, params.id, call);
      if (query.stream) return continued(found.id, query.starting_after, key, call);
      return responseBody(found, gw.clock.now(), call.language);
    },
    options,
  );
  routes.free(
    cancelResponse,
    async ({ key, params, call }) => {
      const found = await stored(key, params.id, call);
      if (found.response['background'] !== true) throw invalidRequest('id', httpReasons.onlyBackgroundCancelled);
      const cancelled = { ...found, response: { ...found.response, status: 'cancelled' } };
      const isLost = found.runsUntil !== undefined && found.runsUntil <= gw.clock.now();
      if (found.runsUntil !== undefined && !isLost && (await store.cancel(cancelled))) return answerOf(cancelled);
      return responseBody(await stored(key, params.id, call), gw.clock.now(), call.language);
    },
    options,
  );
  routes.free(
    listResponseInput,
    async ({ key, params, query, call }) => {
      const chain = await store.chain(key.account.id, params.id, memoryOf(call, gw));
      // Where an earlier answer is gone, nothing is listed.
      if (!chain) await stored(key, params.id, call);
      return pageOfItems(inputOf(chain ?? []), query);
    },
    options,
  );
  routes.free(
    deleteResponse,
    async ({ key, params: { id }, call }) => {
      const running = await store.find(key.account.id, id, memoryOf(call, gw));
      if (running?.runsUntil !== undefined) await store.cancel(running);
      if (!(await store.remove(key.account.id, id))) throw new GatewayError('not_found');
      return { id, object: 'response', deleted: true };
    },
    options,
  );
}

/**
 * A stored answer as it is shown. One that is still running but whose process sends no heartbeat any more is shown as
 * failed.
 */
export function responseBody(stored: StoredResponse, nowMs: number, language: Language): ShownResponse {
  const { runsUntil } = stored;
  if (runsUntil === undefined || runsUntil > nowMs) return answerOf(stored);
  const message = new GatewayError('internal_error').text(language);
  return { ...answerOf(stored), status: 'failed', error: { code: 'server_error', message } };
}

type ShownResponse = JsonObject & ResultOf<typeof getResponse>;

/** Fields that the protocol promises are in every answer, even when a stored row is damaged. */
function answerOf(stored: StoredResponse): ShownResponse {
  const { response } = stored;
  const { status, model } = response;
  return {
    ...response,
    id: stored.id,
    object: 'response',
    status: typeof status === 'string' ? status : 'incomplete',
    model: typeof model === 'string' ? model : '',
    output: outputOf(stored).map(typed),
  };
}

/** Everything the model was given. */
function inputOf(chain: readonly StoredResponse[]): JsonObject[] {
  return chain.flatMap((link, at) => [...inputItems(link), ...(at < chain.length - 1 ? outputOf(link) : [])]);
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
