/**
 * A message on a socket of the Responses protocol: the body of `POST /responses` with a `type` that says what it is.
 */
import { invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import { responseObject } from '../../protocols/index.ts';
import { authenticate } from '../admit/authenticate.ts';
import { reserveFree } from '../admit/free.ts';
import { checkBeforeParsing } from '../admit/large-body.ts';
import { readJsonBody } from '../admit/read-body.ts';
import { resolveModel } from '../admit/resolve.ts';
import type { Call } from '../call.ts';
import type { ClientProtocol, Gateway } from '../gateway.ts';
import { gatewayReasons } from '../reasons.ts';
import { inClientTerms } from './client-terms.ts';
import { openTurn, type ResponsesTools } from './responses.ts';

const CREATE = 'response.create';
const MAX_STREAM_ID_CHARS = 256;

export interface ResponsesMessage {
  /** The body as HTTP would have brought it. */
  call: Call;
  body: JsonObject;
  /** When false nothing is generated, and the input is only kept for the next message. */
  generate: boolean;
}

/**
 * Refuses unknown callers first. `told` gets the `stream_id` with which the client wants its events marked, before
 * anything else is refused.
 */
export async function readResponsesMessage(
  call: Call,
  told: (streamId: string) => void,
  gw: Gateway,
): Promise<ResponsesMessage> {
  const key = await authenticate(call, gw);
  const checking = checkBeforeParsing(call, key, gw);
  if (checking) await checking;
  const { type, stream_id: streamId, generate, ...rest } = readJsonBody(call);
  if (typeof streamId === 'string' && streamId.length <= MAX_STREAM_ID_CHARS) told(streamId);
  else if (streamId !== undefined) throw invalidRequest('stream_id', reasons.mustBe('stream_id', expected.text));
  if (type !== CREATE) throw invalidRequest('type', reasons.mustBe('type', expected.exactly(CREATE)));
  if (rest['background'] === true) throw invalidRequest('background', gatewayReasons.notOverSocket);
  const { svc } = rest;
  if (isJsonObject(svc) && svc['dry_run'] === true) throw invalidRequest('svc.dry_run', gatewayReasons.notOverSocket);
  // A socket carries only events, whatever the message says.
  const body: JsonObject = { ...rest, stream: true };
  return { call: { ...call, body: Buffer.from(JSON.stringify(body)) }, body, generate: generate !== false };
}

/**
 * `generate: false`: agents send their tools and instructions ahead, so that the first question is short. No provider is asked, and
 * nothing is charged. Returns the events.
 */
export async function keepForNextMessage(
  { call, body }: ResponsesMessage,
  { client, responseIdPrefix }: ClientProtocol,
  tools: ResponsesTools,
  gw: Gateway,
): Promise<JsonObject[]> {
  const key = await authenticate(call, gw);
  await reserveFree(call, key, gw);
  const { body: whole, turn } = await openTurn(body, key, call, tools, gw);
  try {
    const request = client.decodeRequest(whole);
    const model = resolveModel(request.model, key, gw.catalog.current(), 'chat', call.metadata);
    const view = {
      requestId: call.id,
      responseId: responseIdPrefix + call.id.slice(call.id.indexOf('_') + 1),
      model: model.id,
      created: Math.floor(call.receivedAt / 1000),
      inputEstimate: 0,
      language: call.language,
      request,
    };
    const begun = responseObject(view, { status: 'in_progress', output: [] });
    const ended = { ...responseObject(view, { status: 'completed', output: [] }), usage: NOTHING_USED };
    tools.connection?.said(turn, ended);
    return [
      { type: 'response.created', sequence_number: 0, response: begun },
      { type: 'response.completed', sequence_number: 1, response: ended },
    ];
  } catch (error) {
    throw inClientTerms(error, turn);
  }
}

const NOTHING_USED: JsonObject = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
  cost: 0,
};
