/** A canonical request as a `generateContent` call. */
import type { ChatRequest, Part } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { foreignFieldWarnings, HOSTED_TOOLS, refuseForeignContent } from '../../foreign-fields.ts';
import type { CodecTarget, HttpParts } from '../../protocol.ts';
import { kept } from '../own-fields.ts';
import { encodeConversation, type GeminiTurns } from './encode-contents.ts';
import { encodeTools, type ToolFields } from './encode-tools.ts';
import { generationConfig } from './generation-config.ts';
import { familyOf } from './model-family.ts';

export function encodeRequest(request: ChatRequest, target: CodecTarget): HttpParts {
  refuseForeignContent(request, 'gemini-generate');
  const dropped = new Set<string>();
  const drop = (field: string): void => {
    dropped.add(field);
  };
  const conversation = encodeConversation(request.messages, familyOf(target.model), drop);
  const config = generationConfig(request, target, drop);
  noteUncarried(request, drop);
  const body: JsonObject = {
    ...ownFields(request),
    ...(target.quirks.cloud === 'vertex' ? withoutCallIds(conversation) : conversation),
    ...withHosted(encodeTools(request, drop), request, target),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
  };
  const warnings = [
    ...[...dropped].map((field) => `${field} dropped: the provider's API has no such field`),
    ...foreignFieldWarnings(request, 'gemini-generate'),
  ];
  const headers = { accept: target.stream ? 'text/event-stream' : 'application/json' };
  return { path: pathOf(target), headers, body, warnings };
}

/** Vertex pairs calls and results by name and place; older versions of it refuse ids. */
function withoutCallIds({ contents, ...rest }: GeminiTurns): GeminiTurns {
  const bare = contents.map((turn) => {
    const { parts } = turn;
    return { ...turn, parts: Array.isArray(parts) ? parts.map(withoutId) : [] };
  });
  return { ...rest, contents: bare };
}

function withoutId(part: Json): Json {
  if (!isJsonObject(part)) return part;
  for (const name of ['functionCall', 'functionResponse']) {
    const inner = part[name];
    if (!isJsonObject(inner)) continue;
    const { id: _id, ...rest } = inner;
    return { ...part, [name]: rest };
  }
  return part;
}

function ownFields(request: ChatRequest): JsonObject {
  const safety = kept(request)?.['safetySettings'];
  return safety === undefined ? {} : { safetySettings: safety };
}

/** Tools that Google runs cost extra; they are sent only where the operator lets everything pass. */
function withHosted(fields: ToolFields, request: ChatRequest, { quirks }: CodecTarget): ToolFields {
  const hosted = kept(request)?.[HOSTED_TOOLS];
  const tools: JsonObject[] = [];
  for (const entry of Array.isArray(hosted) ? hosted.filter(isJsonObject) : []) {
    const tool = isJsonObject(entry['tool']) ? entry['tool'] : {};
    const [name = 'tool'] = Object.keys(tool);
    const param = `tools.${entry['index']}.${name}`;
    if (quirks.passFields !== 'all') throw invalidRequest(param, reasons.costsMore(param, name));
    tools.push(tool);
  }
  return tools.length === 0 ? fields : { ...fields, tools: [...(fields.tools ?? []), ...tools] };
}

function pathOf({ model, stream }: CodecTarget): string {
  // `tunedModels/x` and the like name their collection; a slash in them is part of the path.
  const name = model.includes('/')
    ? model.split('/').map(encodeURIComponent).join('/')
    : `models/${encodeURIComponent(model)}`;
  return `/${name}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
}

/** Warns of everything that the wire has no field for. */
function noteUncarried(request: ChatRequest, drop: (field: string) => void): void {
  if (request.user !== undefined) drop('user');
  for (const message of request.messages) for (const part of message.parts) noteUncarriedPart(part, drop);
}

function noteUncarriedPart(part: Part, drop: (field: string) => void): void {
  if (part.cacheControl) drop('cache_control');
  if (part.kind === 'image' && part.detail !== undefined && part.detail !== 'auto') drop('image detail');
}
