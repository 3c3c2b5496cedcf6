/**
 * The Responses protocol on the request path: what earlier turns left in the store is put in front of the new items, so that
 * the rest of the path sees one whole conversation and no provider ever sees an id of ours; the answer is stored on its way
 * out, behind the client's back and never in its way.
 */

import type { Answer, Sink } from '../../core/answer.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../../core/json.ts';
import { reasons } from '../../core/reasons.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import { outputOf, type ResponseStore, type StoredResponse } from '../../responses/index.ts';
import type { Call } from '../call.ts';
import type { ClientProtocol, Gateway } from '../gateway.ts';
import { answerChat } from './chat.ts';

/** What the store must know once the answer is there. */
interface Turn {
  accountId: string;
  previousId: string | null;
  input: JsonObject[];
  /** How many items of earlier turns stand before the client's own. */
  earlier: number;
  stored: boolean;
}

export async function answerResponses(
  call: Call,
  protocol: ClientProtocol,
  store: ResponseStore,
  gw: Gateway,
): Promise<Answer> {
  let turn: Turn | undefined;
  const prepare = async (body: JsonObject, key: KeySnapshot): Promise<JsonObject> => {
    const opened = await openTurn(body, key, call, store);
    turn = opened.turn;
    return opened.body;
  };
  try {
    const answer = await answerChat(call, { ...protocol, prepare }, gw);
    return turn?.stored ? keepAnswer(answer, turn, store, gw) : answer;
  } catch (error) {
    throw inClientTerms(error, turn?.earlier ?? 0);
  }
}

async function openTurn(
  body: JsonObject,
  key: KeySnapshot,
  call: Call,
  store: ResponseStore,
): Promise<{ body: JsonObject; turn: Turn }> {
  const accountId = key.account.id;
  const previousId = typeof body['previous_response_id'] === 'string' ? body['previous_response_id'] : null;
  const earlier = previousId === null ? [] : await earlierItems(accountId, previousId, store);
  const input = await resolveReferences(body['input'], accountId, earlier, store);
  const { svc } = body;
  const isDryRun = isJsonObject(svc) && svc['dry_run'] === true;
  const stored = body['store'] !== false && !isDryRun && isStorable(input, call, store);
  const turn: Turn = { accountId, previousId, input: input ?? [], earlier: earlier.length, stored };
  if (!input) return { body, turn: { ...turn, stored: false } };
  const untouched = earlier.length === 0 && !hasReference(body['input']);
  return { body: { ...body, ...(!untouched && { input: [...earlier, ...input] }), store: stored }, turn };
}

function isStorable(input: JsonObject[] | undefined, call: Call, { bounds }: ResponseStore): boolean {
  if (bounds.keepMs === 0) return false;
  if (JSON.stringify(input ?? []).length <= bounds.bytesPerResponse) return true;
  call.trail.warnings.push('store ignored: the input is larger than what is stored');
  return false;
}

async function earlierItems(accountId: string, previousId: string, store: ResponseStore): Promise<JsonObject[]> {
  const chain = await store.chain(accountId, previousId);
  if (!chain) {
    throw invalidRequest(
      'previous_response_id',
      reasons.custom('پاسخی با این شناسه نگه داشته نشده است.', 'No response with this id is stored.'),
      { detail: { reason: 'previous_response_not_found' } },
    );
  }
  return chain.flatMap((link) => [...link.input, ...outputOf(link)]);
}

/** The client's own items, each reference replaced by what it refers to; undefined when `input` is not as it must be. */
async function resolveReferences(
  input: JsonObject[string],
  accountId: string,
  earlier: readonly JsonObject[],
  store: ResponseStore,
): Promise<JsonObject[] | undefined> {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  if (!Array.isArray(input) || !input.every(isJsonObject)) return undefined;
  const ids = input.flatMap((item) => (isReference(item) ? [String(item['id'])] : []));
  if (ids.length === 0) return input;
  const known = new Map(earlier.map((item) => [String(item['id']), item]));
  const stored = await store.items(
    accountId,
    ids.filter((id) => !known.has(id)),
  );
  // A reference to nothing stays and is refused by name.
  return input.map((item) => (isReference(item) ? (known.get(idOf(item)) ?? stored.get(idOf(item)) ?? item) : item));
}

function hasReference(input: JsonObject[string]): boolean {
  return Array.isArray(input) && input.some((item) => isJsonObject(item) && isReference(item));
}

function isReference({ type, role, id }: JsonObject): boolean {
  return type === 'item_reference' || (type === undefined && role === undefined && typeof id === 'string');
}

function idOf({ id }: JsonObject): string {
  return String(id);
}

function keepAnswer(answer: Answer, turn: Turn, store: ResponseStore, gw: Gateway): Answer {
  const keep = (text: string): void => {
    const response = parseTrustedJson(text);
    if (isJsonObject(response)) store.keep(storedOf(response, turn, store, gw));
  };
  if (answer.kind === 'body') {
    if (answer.status === 200 && typeof answer.body === 'string') keep(answer.body);
    return answer;
  }
  return { ...answer, run: (sink) => answer.run(listening(sink, (response) => keep(JSON.stringify(response)))) };
}

function storedOf(response: JsonObject, turn: Turn, { bounds }: ResponseStore, gw: Gateway): StoredResponse {
  const createdAt = gw.clock.now();
  const { accountId, previousId, input } = turn;
  return {
    id: String(response['id']),
    accountId,
    previousId,
    input,
    response,
    createdAt,
    expiresAt: createdAt + bounds.keepMs,
  };
}

const TERMINAL = /^event: response\.(?:completed|incomplete)\ndata: (.*)\n\n$/s;

/** Hands on every frame and takes a copy of the last, which holds the whole answer. */
function listening(sink: Sink, onResponse: (response: JsonObject) => void): Sink {
  return {
    write(data) {
      if (typeof data === 'string' && data.startsWith('event: response.')) {
        const event = parseTrustedJson(TERMINAL.exec(data)?.[1] ?? '');
        if (isJsonObject(event) && isJsonObject(event['response'])) onResponse(event['response']);
      }
      return sink.write(data);
    },
    end: () => sink.end(),
    cut: () => sink.cut(),
    get gone() {
      return sink.gone;
    },
  };
}

/** Refusals name fields of the canonical form or items of the whole conversation; the client knows its own. */
function inClientTerms(error: unknown, earlier: number): unknown {
  if (!(error instanceof GatewayError) || error.options.param === undefined) return error;
  const param = clientParam(error.options.param, earlier);
  return param === error.options.param ? error : new GatewayError(error.code, { ...error.options, param });
}

function clientParam(param: string, earlier: number): string {
  if (param === 'messages' || param.startsWith('messages.')) return 'input';
  if (param.startsWith('response_format')) return param.replace(/^response_format(?:\.json_schema)?/, 'text.format');
  const item = /^input\.(\d+)(.*)$/s.exec(param);
  if (!item || earlier === 0) return param;
  const own = Number(item[1]) - earlier;
  return own < 0 ? 'previous_response_id' : `input.${own}${item[2]}`;
}
