/**
 * `POST /responses/compact`: a conversation made short, on the paid path like every chat. Neither it nor its answer is
 * stored.
 */
import type { Answer } from '../../core/answer.ts';
import type { JsonObject } from '../../core/json.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import { openCompaction } from '../../protocols/index.ts';
import type { Call } from '../call.ts';
import type { ClientProtocol, Gateway } from '../gateway.ts';
import { answerChat } from './chat.ts';
import { inClientTerms } from './client-terms.ts';
import { openTurn, type ResponsesTools } from './responses.ts';
import type { Turn } from './turn.ts';

/** Other fields of a body belong to answers of another kind, and have no effect here. */
const FIELDS = [
  'model',
  'input',
  'instructions',
  'previous_response_id',
  'conversation',
  'prompt_cache_key',
  'prompt_cache_retention',
  'service_tier',
  'user',
  'safety_identifier',
  'svc',
];

export async function answerCompaction(
  call: Call,
  protocol: ClientProtocol,
  tools: ResponsesTools,
  gw: Gateway,
): Promise<Answer> {
  let turn: Turn | undefined;
  const prepare = async (body: JsonObject, key: KeySnapshot): Promise<JsonObject> => {
    const opened = await openTurn(orderOf(body), key, call, tools, gw);
    turn = opened.turn;
    return opened.body;
  };
  try {
    const client = openCompaction(protocol.client);
    return await answerChat(call, { ...protocol, client, translated: true, prepare }, gw);
  } catch (error) {
    throw inClientTerms(error, turn);
  }
}

/** A stored conversation needs no input beside it. */
function orderOf(body: JsonObject): JsonObject {
  const order: JsonObject = { store: false };
  for (const field of FIELDS) if (body[field] !== undefined && body[field] !== null) order[field] = body[field];
  const continues = order['previous_response_id'] !== undefined || order['conversation'] !== undefined;
  return continues && order['input'] === undefined ? { ...order, input: [] } : order;
}
