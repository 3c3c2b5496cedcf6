/**
 * The prompt-cache helper (rule `prompt_cache` of a key): long prefixes that will come again are marked for providers
 * that cache only what is marked. The model reads the same; requests with markers of their own are not changed. See ADR
 * 0071.
 */
import { createHash } from 'node:crypto';
import type { ChatRequest, Message, Part } from '../../core/chat.ts';
import { unitPrice } from '../../core/price.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import { markBody, type PromptMarks } from '../../protocols/index.ts';
import type { Target } from '../../routing/index.ts';
import { leastCachedPrefix } from '../../vendors/index.ts';
import type { RequestPlan } from '../admit/plan.ts';
import type { Gateway } from '../gateway.ts';
import type { AskedChat, MarkedPrompt } from './read-chat.ts';

/** A low estimate: a prefix that is too short for its model is not marked. */
const BYTES_PER_TOKEN = 4;
/** OpenAI keeps no shorter prefix. */
const MIN_KEYED_TOKENS = 1_024;
const KEYED_VENDORS: ReadonlySet<string> = new Set(['openai', 'openai-responses']);
const CLAUDE = /claude/;

export function markPrompt(
  { request, protocol, relayBody }: AskedChat,
  { targets, model }: RequestPlan,
  key: KeySnapshot,
  gw: Gateway,
): MarkedPrompt | undefined {
  // Passages found for the question stand before it, so such a prompt has no stable beginning.
  if (request.svc.knowledgeBaseIds.length > 0 || isMarked(request)) return undefined;
  const beginning = beginningOf(request);
  const keyed = targets.some(takesCacheKey) && beginning.tokens >= MIN_KEYED_TOKENS;
  const wanting = targets.filter(wantsMarks);
  const saves = unitPrice(model.price, 'cacheRead') < unitPrice(model.price, 'inputFresh');
  const least = Math.max(0, ...wanting.map(({ route }) => leastCachedPrefix(model.id, route.upstreamModel)));
  const marks = wanting.length > 0 && saves ? marksOf(request, beginning, least, model.id, key, gw) : undefined;
  if (!keyed && !marks) return undefined;
  const own = marks && relayBody && protocol.client.protocol === 'anthropic-messages';
  return {
    prompt: marks && markRequest(request, marks),
    relayBody: own ? markBody(relayBody, marks) : relayBody,
    cacheKey: keyed ? digestOf(key.account.id, key.id, beginning.text) : undefined,
  };
}

export function wantsMarks({ route, model }: Target): boolean {
  if (route.conformance?.failed.has('caching')) return false;
  if (route.provider.protocol === 'anthropic-messages') return true;
  return route.quirks.takesCacheControl === true && (CLAUDE.test(route.upstreamModel) || CLAUDE.test(model.id));
}

export function takesCacheKey({ route }: Target): boolean {
  return KEYED_VENDORS.has(route.provider.vendor);
}

/** A client that marks anything, even the request as a whole, is left alone. */
function isMarked({ messages, tools, priced }: ChatRequest): boolean {
  if (priced?.cachesPrompt !== undefined || tools.some(({ cacheControl }) => cacheControl)) return true;
  return messages.some(({ parts }) => parts.some(isMarkedPart));
}

function isMarkedPart(part: Part): boolean {
  return part.cacheControl !== undefined || (part.kind === 'tool-result' && part.content.some(isMarkedPart));
}

interface Beginning {
  text: string;
  toolTokens: number;
  /** Tools and system texts together, in the order in which a provider reads them. */
  tokens: number;
}

function beginningOf({ tools, messages }: ChatRequest): Beginning {
  const offered = tools.length === 0 ? '' : JSON.stringify(tools);
  let system = '';
  for (const { role, parts } of messages) {
    if (!isSystem(role)) break;
    for (const part of parts) if (part.kind === 'text') system += part.text;
  }
  const toolTokens = tokensOf(offered);
  return { text: `${offered}\n${system}`, toolTokens, tokens: toolTokens + tokensOf(system) };
}

function marksOf(
  request: ChatRequest,
  { text, toolTokens, tokens }: Beginning,
  least: number,
  model: string,
  { account }: KeySnapshot,
  { prefixes }: Gateway,
): PromptMarks | undefined {
  const { messages, tools } = request;
  const goesOn = messages.some(({ role }) => role === 'assistant');
  const isLong = tokens >= least;
  // Called for every prompt, so that the next one knows of this one.
  const comesAgain = isLong && prefixes.see(digestOf(account.id, model, text));
  const stable = isLong && (goesOn || comesAgain);
  const hasSystem = messages.length > 0 && isSystem((messages[0] as Message).role);
  const marks: PromptMarks = {
    tools: stable && tools.length > 0 && toolTokens >= least,
    system: stable && hasSystem,
    turn: goesOn && tokens + turnTokens(messages, least - tokens) >= least,
  };
  return marks.tools || marks.system || marks.turn ? marks : undefined;
}

/** Counts no further than `enough`. */
function turnTokens(messages: readonly Message[], enough: number): number {
  let bytes = 0;
  for (const { role, parts } of messages) {
    if (isSystem(role)) continue;
    for (const part of parts) bytes += bytesOf(part);
    if (bytes / BYTES_PER_TOKEN >= enough) break;
  }
  return bytes / BYTES_PER_TOKEN;
}

function bytesOf(part: Part): number {
  if (part.kind === 'text') return Buffer.byteLength(part.text);
  if (part.kind === 'tool-call') return Buffer.byteLength(part.arguments);
  if (part.kind === 'tool-result') return part.content.reduce((sum, inner) => sum + bytesOf(inner), 0);
  return 0;
}

function isSystem(role: Message['role']): boolean {
  return role === 'system' || role === 'developer';
}

function tokensOf(text: string): number {
  return Buffer.byteLength(text) / BYTES_PER_TOKEN;
}

/** The same text with cache markers added. */
function markRequest(request: ChatRequest, { tools, system, turn }: PromptMarks): ChatRequest {
  const messages = [...request.messages];
  const firstOther = messages.findIndex(({ role }) => !isSystem(role));
  if (system) markLast(messages, (firstOther < 0 ? messages.length : firstOther) - 1);
  if (turn) markLast(messages, messages.length - 1);
  const marked = { ...request, messages };
  const lastTool = request.tools.at(-1);
  if (tools && lastTool) marked.tools = [...request.tools.slice(0, -1), { ...lastTool, cacheControl: {} }];
  return marked;
}

function markLast(messages: Message[], at: number): void {
  const message = messages[at];
  const part = message?.parts.at(-1);
  if (!message || !part || !isMarkable(part)) return;
  messages[at] = { ...message, parts: [...message.parts.slice(0, -1), { ...part, cacheControl: {} }] };
}

/** Reasoning must not be changed, and an empty text cannot carry a marker. */
function isMarkable(part: Part): boolean {
  return part.kind === 'text' ? part.text.trim() !== '' : part.kind !== 'reasoning' && part.kind !== 'refusal';
}

function digestOf(...parts: string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 32);
}
