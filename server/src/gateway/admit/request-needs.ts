/** What a chat needs of its route; checked only where one of its routes fails a probe (conformance/). */
import { PROBE_NAMES, type ProbeId } from '@dargah/core/probes.ts';
import type { ChatRequest, Message, Part } from '../../core/chat.ts';
import { invalidRequest } from '../../core/errors.ts';
import type { RequestNeeds } from '../../routing/index.ts';
import { gatewayReasons } from '../reasons.ts';

/** About half of what the probe of long contexts sends. */
const LONG_CHARACTERS = 50_000;

export function needsOf(request: ChatRequest): RequestNeeds {
  const always: ProbeId[] = [];
  const ifOffered: ProbeId[] = [];
  const { messages, tools } = request;
  if (request.stream) always.push('stream');
  if (tools.length > 0) always.push('tools');
  if (request.output.kind === 'json-schema') always.push('schema');
  if (messages.some(({ parts }) => parts.some(hasPicture))) always.push('vision');
  if (tools.length > 1 && request.parallelToolCalls === true) ifOffered.push('parallel_tools');
  if (messages.at(-1)?.role === 'assistant') ifOffered.push('prefill');
  if (isLong(messages)) ifOffered.push('long_context');
  return { always, ifOffered };
}

function hasPicture(part: Part): boolean {
  return part.kind === 'image' || (part.kind === 'tool-result' && part.content.some(hasPicture));
}

function isLong(messages: readonly Message[]): boolean {
  let characters = 0;
  for (const { parts } of messages) for (const part of parts) if (part.kind === 'text') characters += part.text.length;
  return characters > LONG_CHARACTERS;
}

const FIELDS: Partial<Record<ProbeId, string>> = {
  stream: 'stream',
  tools: 'tools',
  schema: 'response_format',
  vision: 'messages',
};

/** The error when every route fails something that the request needs. */
export function refuseLacking(probe: ProbeId): never {
  throw invalidRequest(FIELDS[probe] ?? 'messages', gatewayReasons.notProved(PROBE_NAMES[probe]));
}
