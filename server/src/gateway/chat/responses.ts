/**
 * The Responses protocol on the request path: stored items of earlier turns are put before the new ones, so that the
 * rest of the path sees one whole conversation and no provider ever sees an id of ours. The answer is stored on its way
 * out, and the client never waits for that.
 */

import { type Answer, type BodyAnswer, jsonAnswer, type Sink, type StreamAnswer } from '../../core/answer.ts';
import { invalidRequest } from '../../core/errors.ts';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../../core/json.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { MemoryShare } from '../../platform/memory-budget.ts';
import { endedResponse } from '../../protocols/index.ts';
import { type ConversationStore, outputOf, type ResponseStore, type StoredResponse } from '../../responses/index.ts';
import { admitFree } from '../admit/free.ts';
import { checkBeforeParsing } from '../admit/large-body.ts';
import { readJsonBody } from '../admit/read-body.ts';
import { resolveModel } from '../admit/resolve.ts';
import type { Call } from '../call.ts';
import type { ClientProtocol, Gateway } from '../gateway.ts';
import { gatewayReasons } from '../reasons.ts';
import { memoryOf } from '../request-memory.ts';
import { answerInBackground, asksBackground, checkBackground, notStorable } from './background.ts';
import type { BackgroundAnswers } from './background-slots.ts';
import { answerChat } from './chat.ts';
import { inClientTerms } from './client-terms.ts';
import type { ConnectionTurn } from './connection-turn.ts';
import { countHere } from './count-tokens.ts';
import type { Turn } from './turn.ts';
import { checkEchoOfTurn } from './upstream-echo.ts';

export interface ResponsesTools {
  store: ResponseStore;
  conversations: ConversationStore;
  background: BackgroundAnswers;
  /** The last answer of the socket that the request came by; absent for HTTP. */
  connection?: ConnectionTurn;
}

export async function answerResponses(
  call: Call,
  protocol: ClientProtocol,
  tools: ResponsesTools,
  gw: Gateway,
): Promise<Answer> {
  const { store, background: answers } = tools;
  const turns: { current?: Turn } = {};
  const answer = (asked: Call, by: ClientProtocol): Promise<Answer> => answerTurn(asked, by, turns, tools, gw);
  const asked = await asksBackground(call, gw);
  if (!asked) return answer(call, protocol);
  const stored = (response: JsonObject): StoredResponse => {
    if (!turns.current) throw new Error('an answer began before its turn was known');
    return storedOf(response, turns.current, store, gw);
  };
  return answerInBackground({ call, protocol, store, answers, answer, stored, streams: asked === 'stream' }, gw);
}

/**
 * `POST /responses/input_tokens`: how many tokens a turn gives its model, earlier turns included; free, and counted by
 * us.
 */
export async function answerInputTokens(
  call: Call,
  { client }: ClientProtocol,
  tools: ResponsesTools,
  gw: Gateway,
): Promise<Answer> {
  const key = await admitFree(call, gw);
  const checking = checkBeforeParsing(call, key, gw);
  if (checking) await checking;
  const { body, turn } = await openTurn(readJsonBody(call), key, call, tools, gw);
  try {
    const request = client.decodeRequest(body);
    resolveModel(request.model, key, gw.catalog.current(), 'chat');
    return jsonAnswer({ object: 'response.input_tokens', input_tokens: await countHere(request, gw) });
  } catch (error) {
    throw inClientTerms(error, turn);
  }
}

async function answerTurn(
  call: Call,
  protocol: ClientProtocol,
  turns: { current?: Turn },
  tools: ResponsesTools,
  gw: Gateway,
): Promise<Answer> {
  const prepare = async (body: JsonObject, key: KeySnapshot): Promise<JsonObject> => {
    const opened = await openTurn(body, key, call, tools, gw);
    turns.current = opened.turn;
    return opened.body;
  };
  const keepStream = (answer: StreamAnswer): StreamAnswer => {
    const { connection } = tools;
    const turn = turns.current;
    if (!turn || !(isKept(turn) || connection)) return answer;
    const keep = keeping(turn, call, tools, gw);
    const ended = (response: JsonObject): void => {
      connection?.said(turn, response);
      if (isKept(turn)) void keep(response);
    };
    return { ...answer, run: (sink) => answer.run(listening(sink, ended)) };
  };
  try {
    const answer = await answerChat(call, { ...protocol, prepare, keepStream }, gw);
    if (answer.kind === 'body' && isKept(turns.current))
      await keepBody(answer, keeping(turns.current, call, tools, gw));
    return answer;
  } catch (error) {
    throw inClientTerms(error, turns.current);
  }
}

export async function openTurn(
  body: JsonObject,
  key: KeySnapshot,
  call: Call,
  { store, conversations, connection }: ResponsesTools,
  gw: Gateway,
): Promise<{ body: JsonObject; turn: Turn }> {
  const inBackground = body['background'] === true;
  if (inBackground) checkBackground(body);
  const accountId = key.account.id;
  const previousId = typeof body['previous_response_id'] === 'string' ? body['previous_response_id'] : null;
  const conversationId = conversationOf(body, previousId);
  const memory = () => memoryOf(call, gw);
  const earlier =
    conversationId === null
      ? (connection?.itemsUntil(previousId) ??
        (await itemsBefore(accountId, previousId, store, memory, gw.clock.now())))
      : await itemsOfConversation(accountId, conversationId, conversations, memory());
  const input = await resolveReferences(body['input'], accountId, earlier, store, memory);
  const { svc } = body;
  const isDryRun = isJsonObject(svc) && svc['dry_run'] === true;
  const stored = body['store'] !== false && !isDryRun && isStorable(input, call, store);
  checkEchoOfTurn(svc, key, stored || inBackground || conversationId !== null);
  if (inBackground && input && !stored && !isDryRun) throw notStorable();
  const turn: Turn = {
    accountId,
    previousId,
    conversationId: isDryRun ? null : conversationId,
    input: input ?? [],
    earlier,
    stored,
    inBackground,
  };
  if (!input) return { body, turn: { ...turn, stored: false, conversationId: null } };
  const untouched = earlier.length === 0 && !hasReference(body['input']);
  const asked = { ...body, ...(!untouched && { input: [...earlier, ...input] }), store: stored };
  return { body: inBackground ? asStream(asked) : asked, turn };
}

/** What a stream has generated is known at every moment, also when it is stopped. */
function asStream({ stream_options: _options, ...body }: JsonObject): JsonObject {
  return { ...body, stream: true };
}

function isStorable(input: JsonObject[] | undefined, call: Call, { bounds }: ResponseStore): boolean {
  if (bounds.keepMs === 0) return false;
  if (JSON.stringify(input ?? []).length <= bounds.bytesPerResponse) return true;
  call.metadata.warnings.push('store ignored: the input is larger than what is stored');
  return false;
}

async function itemsOfConversation(
  accountId: string,
  id: string,
  conversations: ConversationStore,
  memory: MemoryShare,
): Promise<JsonObject[]> {
  const items = await conversations.items(accountId, id, memory);
  if (!items) throw invalidRequest('conversation', gatewayReasons.noSuchConversation);
  return items;
}

async function itemsBefore(
  accountId: string,
  previousId: string | null,
  store: ResponseStore,
  memory: () => MemoryShare,
  nowMs: number,
): Promise<JsonObject[]> {
  if (previousId === null) return [];
  const chain = await store.chain(accountId, previousId, memory());
  if (!chain) {
    throw invalidRequest('previous_response_id', gatewayReasons.noSuchResponse, {
      detail: { reason: 'previous_response_not_found' },
    });
  }
  if (chain.some(({ runsUntil = 0 }) => runsUntil > nowMs))
    throw invalidRequest('previous_response_id', gatewayReasons.responseNotEnded);
  return chain.flatMap((link) => [...link.input, ...outputOf(link)]);
}

/**
 * `conversation: "conv_…"` or `{ id }`. It excludes `previous_response_id`, because a request can have only one
 * history.
 */
function conversationOf({ conversation }: JsonObject, previousId: string | null): string | null {
  const id = isJsonObject(conversation) ? conversation['id'] : conversation;
  if (typeof id !== 'string') return null;
  if (previousId === null) return id;
  throw invalidRequest('conversation', gatewayReasons.twoConversations);
}

/** The client's own items, each reference replaced by its item; undefined when `input` has the wrong form. */
async function resolveReferences(
  input: JsonObject[string],
  accountId: string,
  earlier: readonly JsonObject[],
  store: ResponseStore,
  memory: () => MemoryShare,
): Promise<JsonObject[] | undefined> {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  if (!Array.isArray(input) || !input.every(isJsonObject)) return undefined;
  const ids = input.flatMap((item) => (isReference(item) ? [String(item['id'])] : []));
  if (ids.length === 0) return input;
  const known = new Map(earlier.map((item) => [String(item['id']), item]));
  const missing = ids.filter((id) => !known.has(id));
  const stored = await store.items(accountId, missing, memory());
  // A reference to an unknown item stays, and decoding refuses it by name.
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

function isKept(turn: Turn | undefined): turn is Turn {
  return turn !== undefined && (turn.stored || turn.conversationId !== null);
}

type Keep = (response: JsonObject) => Promise<void>;

function keeping(turn: Turn, call: Call, { store, conversations }: ResponsesTools, gw: Gateway): Keep {
  return async (response) => {
    const inBackground = store.isRunning(String(response['id']));
    // A cancelled answer in the background ended when it was cancelled.
    if (inBackground && call.client.gone) return;
    if (inBackground) store.end(storedOf(response, turn, store, gw));
    if (response['status'] === 'failed') return;
    if (turn.stored && !inBackground) store.keep(storedOf(response, turn, store, gw));
    const { accountId, conversationId, input } = turn;
    if (conversationId === null) return;
    if (await conversations.append(accountId, conversationId, [...input, ...outputOf({ response })])) return;
    call.metadata.warnings.push('conversation not continued: it has no room for more, or was deleted');
  };
}

async function keepBody({ status, body }: BodyAnswer, keep: Keep): Promise<void> {
  const response = status === 200 && typeof body === 'string' ? parseTrustedJson(body) : undefined;
  if (isJsonObject(response)) await keep(response);
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

/** Passes every frame on and keeps a copy of the last, which contains the whole answer. */
function listening(sink: Sink, onResponse: (response: JsonObject) => void): Sink {
  return {
    write(data) {
      const response = typeof data === 'string' ? endedResponse(data) : undefined;
      if (response) onResponse(response);
      return sink.write(data);
    },
    end: () => sink.end(),
    cut: () => sink.cut(),
    get gone() {
      return sink.gone;
    },
  };
}
