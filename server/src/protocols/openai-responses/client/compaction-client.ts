/**
 * `POST /responses/compact` as a chat: the model is given the conversation and asked for a summary, so that it works with every
 * provider and costs what any answer of its length does. The conversation goes out as plain text, because providers refuse calls of
 * tools that the request does not define.
 */
import type { ChatRequest, ChatResponse, Message, Part, ToolResultPart } from '../../../core/chat.ts';
import { GatewayError } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { AnswerClosing, ClientCodec, ClientView } from '../../protocol.ts';
import { compactionItem } from '../compaction.ts';
import { ITEM_PREFIX, keptBlock } from '../own-fields.ts';
import { decodeRequest } from './decode-request.ts';
import { closingFields } from './response-object.ts';

const ORDER = `Summarise the conversation above, so that it can be continued by somebody who knows nothing but your summary.
Keep what the user wants, every instruction and preference that still holds, the facts, names, numbers, identifiers, paths and code
that are still needed, what was decided and done, what tools found, what is open and what comes next. Leave out greetings and what no
longer holds. Write in the language of the conversation. Answer with the summary alone.`;

/** Each request has one, because its answer repeats messages of the body. */
export function openCompaction(client: ClientCodec): ClientCodec {
  let asked: JsonObject[] = [];
  return {
    ...client,
    decodeRequest(body) {
      asked = userMessages(body['input']);
      return summaryRequest(decodeRequest(body));
    },
    encodeResponse: (response, view, closing) => compacted(asked, response, view, closing),
  };
}

function summaryRequest(request: ChatRequest): ChatRequest {
  const order: Message = { role: 'user', parts: [{ kind: 'text', text: ORDER }] };
  return { ...request, messages: [...request.messages.flatMap(asText), order] };
}

function asText(message: Message): Message[] {
  const { role, parts } = message;
  if (role === 'tool') return [{ role: 'user', parts: parts.flatMap((part) => resultAsText(part)) }];
  if (role !== 'assistant') return [message];
  const said = parts.flatMap(turnAsText);
  return said.length === 0 ? [] : [{ role, parts: said }];
}

function turnAsText(part: Part): Part[] {
  if (part.kind === 'tool-call') return [{ kind: 'text', text: `[Called ${part.name} with ${part.arguments}]` }];
  if (part.kind === 'refusal') return [{ kind: 'text', text: part.text }];
  if (part.kind !== 'text' || part.text === '' || keptBlock(part)) return [];
  return [{ kind: 'text', text: part.text }];
}

function resultAsText(part: Part): Part[] {
  if (part.kind !== 'tool-result') return [part];
  const text = textOf(part);
  return [{ kind: 'text', text: `[Result: ${text}]` }, ...part.content.filter(({ kind }) => kind !== 'text')];
}

function textOf({ content }: ToolResultPart): string {
  return content.map((inner) => (inner.kind === 'text' ? inner.text : '')).join('');
}

/** An empty summary would silently lose the conversation; it costs nothing, since nothing was generated. */
function compacted(
  asked: readonly JsonObject[],
  response: ChatResponse,
  view: ClientView,
  closing: AnswerClosing,
): JsonObject {
  const summary = summaryOf(response);
  if (summary === '') throw new GatewayError('upstream_error');
  const tail = view.responseId.slice(view.responseId.indexOf('_') + 1);
  return {
    id: view.responseId,
    object: 'response.compaction',
    created_at: view.created,
    output: [
      ...asked.map((item, at) => ({ id: `${ITEM_PREFIX.message}${tail}_${at}`, ...item })),
      compactionItem(`cmp_${tail}`, summary),
    ],
    ...closingFields(closing),
  };
}

function summaryOf({ choices }: ChatResponse): string {
  return (choices[0]?.parts ?? [])
    .map((part) => (part.kind === 'text' ? part.text : ''))
    .join('')
    .trim();
}

/** The user's own messages stay as they were written. */
function userMessages(input: Json | undefined): JsonObject[] {
  if (typeof input === 'string') return [userMessage(input, {})];
  const items = Array.isArray(input) ? input.filter(isJsonObject) : [];
  return items
    .filter(({ type, role }) => role === 'user' && (type ?? 'message') === 'message')
    .map(({ content, ...rest }) => userMessage(content, rest));
}

function userMessage(content: Json | undefined, rest: JsonObject): JsonObject {
  const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : (content ?? []);
  return { ...rest, type: 'message', status: 'completed', role: 'user', content: parts };
}
