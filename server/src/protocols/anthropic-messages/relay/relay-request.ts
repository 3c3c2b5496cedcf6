/** The client's own body, adapted to its provider; fields unknown to us stay as they are. */
import type { ChatRequest } from '../../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { CodecTarget, HttpParts } from '../../protocol.ts';
import { splitToolSignature } from '../../tool-signature.ts';
import { isSealed } from '../reasoning-seal.ts';
import { ToolIds } from '../tool-ids.ts';
import {
  dropRefusedFields,
  MESSAGES_PATH,
  outputLimit,
  REQUEST_HEADERS,
  UNSIGNED_REASONING,
} from '../upstream/encode-request.ts';
import { endsInLoopWithoutThinking, fitThinking } from '../upstream/thinking.ts';

const SAMPLING = ['temperature', 'top_p', 'top_k'];

export function patchRequest(body: JsonObject, request: ChatRequest, target: CodecTarget): HttpParts {
  const warnings: string[] = [];
  const { svc: _svc, ...patched } = body;
  patched['model'] = target.model;
  patched['max_tokens'] = outputLimit(target.maxOutputTokens ?? request.maxOutputTokens, target, warnings);
  if ((patched['stream'] === true) !== target.stream) patched['stream'] = target.stream;
  patched['messages'] = cleanMessages(body['messages'], warnings);
  patchThinking(patched, target, warnings);
  if (target.quirks.rejectsSampling) dropSampling(patched, warnings);
  dropRefusedFields(patched, target, warnings);
  return { path: MESSAGES_PATH, headers: { ...REQUEST_HEADERS }, body: patched, warnings };
}

function dropSampling(body: JsonObject, warnings: string[]): void {
  for (const field of SAMPLING) {
    if (body[field] === undefined) continue;
    delete body[field];
    warnings.push(`${field} dropped: the model does not accept it`);
  }
}

/**
 * Earlier turns may come from models of other vendors. Their thinking is not signed by this provider, and their tool
 * ids may carry signatures: either would make every further request of the conversation fail.
 */
function cleanMessages(messages: Json | undefined, warnings: string[]): Json {
  if (!Array.isArray(messages)) return messages ?? [];
  const ids = new ToolIds();
  const clean: Json[] = [];
  for (const message of messages) {
    if (!isJsonObject(message) || !Array.isArray(message['content'])) {
      clean.push(message);
      continue;
    }
    const before = message['content'];
    const signed = before.filter((block) => !isUnsignedThinking(block));
    if (signed.length < before.length && !warnings.includes(UNSIGNED_REASONING)) warnings.push(UNSIGNED_REASONING);
    if (signed.length === 0 && before.length > 0) continue;
    const content = signed.map((block) => cleanIds(block, ids));
    const untouched = content.length === before.length && content.every((block, index) => block === before[index]);
    clean.push(untouched ? message : { ...message, content });
  }
  return clean;
}

function isUnsignedThinking(block: Json): boolean {
  if (!isJsonObject(block) || block['type'] !== 'thinking') return false;
  const signature = block['signature'];
  return typeof signature !== 'string' || signature === '' || isSealed(signature);
}

function cleanIds(block: Json, ids: ToolIds): Json {
  if (!isJsonObject(block)) return block;
  const field = block['type'] === 'tool_use' ? 'id' : block['type'] === 'tool_result' ? 'tool_use_id' : undefined;
  const id = field === undefined ? undefined : block[field];
  if (field === undefined || typeof id !== 'string') return block;
  const clean = ids.of(splitToolSignature(id).id);
  return clean === id ? block : { ...block, [field]: clean };
}

function patchThinking(body: JsonObject, target: CodecTarget, warnings: string[]): void {
  const { thinking, messages, output_config: config } = body;
  if (!isJsonObject(thinking)) return;
  const effort = isJsonObject(config) && typeof config['effort'] === 'string' ? config['effort'] : undefined;
  const limits = {
    maxTokens: Number(body['max_tokens']),
    adaptive: target.quirks.adaptiveThinking === true,
    // Whether tools and thinking can be combined is for the provider to judge.
    forcedTool: false,
    loopWithoutThinking: Array.isArray(messages) && endsInLoopWithoutThinking(messages),
  };
  const fitted = fitThinking({ thinking, ...(effort !== undefined && { effort }) }, limits, warnings);
  if (fitted.thinking === thinking) return;
  if (fitted.thinking) body['thinking'] = fitted.thinking;
  else dropThinking(body);
  if (fitted.effort !== undefined && fitted.effort !== effort) {
    body['output_config'] = { ...(isJsonObject(config) && config), effort: fitted.effort };
  }
}

/** The edit that clears thinking is removed together with thinking, because the provider refuses it alone. */
function dropThinking(body: JsonObject): void {
  delete body['thinking'];
  const management = body['context_management'];
  if (!isJsonObject(management) || !Array.isArray(management['edits'])) return;
  const edits = management['edits'].filter(
    (edit) => !(isJsonObject(edit) && String(edit['type']).startsWith('clear_thinking')),
  );
  if (edits.length > 0) body['context_management'] = { ...management, edits };
  else delete body['context_management'];
}
