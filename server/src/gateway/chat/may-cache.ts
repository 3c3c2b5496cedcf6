/** Which chats are never answered from the response cache, nor stored in it. */
import type { ChatRequest, Part } from '../../core/chat.ts';
import type { Json } from '../../core/json.ts';
import { HOSTED_TOOLS, OPTIONAL_TOOLS } from '../../protocols/index.ts';
import type { ClientProtocol } from '../gateway.ts';

/** Fields by which a provider does something before it answers: searches, runs code, asks servers of others. */
const ACTING_FIELDS = [
  HOSTED_TOOLS,
  OPTIONAL_TOOLS,
  'web_search_options',
  'search_parameters',
  'mcp_servers',
  'container',
  'plugins',
];

/** A request that may act or fetch is never cached, because its answer depends on more than its text. */
export function mayCache({ tools, messages, extras, priced, svc }: ChatRequest, protocol: ClientProtocol): boolean {
  if (tools.length > 0 || svc.debug || svc.dryRun || priced?.speaks || priced?.hosted || protocol.whenAdmitted)
    return false;
  for (const own of Object.values(extras)) if (ACTING_FIELDS.some((field) => isGiven(own?.[field]))) return false;
  return messages.every(({ parts }) => parts.every(isItself));
}

function isGiven(value: Json | undefined): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

/** The content behind an address may change. */
function isItself(part: Part): boolean {
  if (part.kind === 'tool-result') return part.content.every(isItself);
  return !((part.kind === 'image' || part.kind === 'file') && part.source.kind === 'url');
}
