/**
 * A vendor's named deviations, laid over a body that is otherwise as documented. Works on the wire form, so that a
 * translated request and a relayed one are treated alike.
 */
import type { ChatRequest, ReasoningRequest } from '../../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { CodecTarget, Quirks } from '../../protocol.ts';
import { effortOf, isReasoningOff } from '../../reasoning-effort.ts';

const SAMPLING_FIELDS = ['temperature', 'top_p', 'top_k', 'presence_penalty', 'frequency_penalty'];

/** Changes `body`, which must be the caller's own top-level copy; nested objects are copied where they change. */
export function applyQuirks(body: JsonObject, request: ChatRequest, target: CodecTarget, warnings: string[]): void {
  const { quirks } = target;
  nameOutputLimit(body, quirks);
  if (quirks.rejectsSampling) dropFields(body, SAMPLING_FIELDS, warnings);
  if (quirks.dropFields) dropFields(body, quirks.dropFields, warnings);
  if (quirks.rejectsStreamOptions) delete body['stream_options'];
  if (quirks.noDeveloperRole) body['messages'] = renameDeveloper(body['messages']);
  if (quirks.rejectsStrictTools) body['tools'] = dropStrict(body['tools']);
  if (body['tools'] === undefined) delete body['tools'];
  if (quirks.begunTurn) markBegunTurn(body, quirks.begunTurn);
  if (request.reasoning) askForReasoning(body, request.reasoning, quirks, warnings);
}

/** Without this mark these providers answer anew instead of continuing the begun turn. */
function markBegunTurn(body: JsonObject, mark: NonNullable<Quirks['begunTurn']>): void {
  const { messages } = body;
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!Array.isArray(messages) || !isJsonObject(last) || last['role'] !== 'assistant' || last['tool_calls']) return;
  if (mark === 'continue_final_message') {
    body['continue_final_message'] = true;
    body['add_generation_prompt'] = false;
  } else body['messages'] = [...messages.slice(0, -1), { ...last, [mark]: true }];
}

function dropFields(body: JsonObject, fields: readonly string[], warnings: string[]): void {
  for (const field of fields) {
    if (body[field] === undefined) continue;
    delete body[field];
    warnings.push(`${field} dropped: the model does not take it`);
  }
}

function nameOutputLimit(body: JsonObject, { maxTokensField }: Quirks): void {
  if (maxTokensField === undefined) return;
  const limit = body['max_completion_tokens'] ?? body['max_tokens'];
  delete body['max_completion_tokens'];
  delete body['max_tokens'];
  if (limit !== undefined) body[maxTokensField] = limit;
}

function renameDeveloper(messages: Json | undefined): Json | undefined {
  if (!Array.isArray(messages)) return messages;
  return messages.map((message) =>
    isJsonObject(message) && message['role'] === 'developer' ? { ...message, role: 'system' } : message,
  );
}

function dropStrict(tools: Json | undefined): Json | undefined {
  if (!Array.isArray(tools)) return tools;
  return tools.map((tool) => {
    if (!isJsonObject(tool) || !isJsonObject(tool['function']) || tool['function']['strict'] === undefined) return tool;
    const { strict: _strict, ...called } = tool['function'];
    return { ...tool, function: called };
  });
}

function askForReasoning(body: JsonObject, reasoning: ReasoningRequest, quirks: Quirks, warnings: string[]): void {
  delete body['reasoning_effort'];
  delete body['reasoning'];
  switch (quirks.reasoningStyle ?? 'reasoning_effort') {
    case 'reasoning_effort': {
      const effort = effortOf(reasoning);
      if (effort !== undefined) body['reasoning_effort'] = effort;
      return;
    }
    case 'openrouter':
      body['reasoning'] = openRouterReasoning(reasoning);
      return;
    case 'thinking-switch':
      body['thinking'] ??= { type: isReasoningOff(reasoning) ? 'disabled' : 'enabled' };
      return;
    case 'none':
      warnings.push('reasoning dropped: the model has no such setting');
  }
}

function openRouterReasoning(reasoning: ReasoningRequest): JsonObject {
  const extras = reasoning.extras?.['openai-chat'];
  if (isReasoningOff(reasoning)) return { ...extras, enabled: false };
  // It takes either a budget or an effort, and refuses both.
  const amount =
    reasoning.budgetTokens !== undefined
      ? { max_tokens: reasoning.budgetTokens }
      : reasoning.effort && { effort: reasoning.effort };
  return { ...extras, ...(amount ?? { enabled: true }) };
}
