/** The canonical request as a chat-completion body for a provider. */
import type { ChatRequest, OutputKind, Sampling, Tool, ToolChoice } from '../../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { foreignFieldWarnings, HOSTED_TOOLS, refuseForeignContent } from '../../foreign-fields.ts';
import type { CodecTarget, HttpParts, Quirks } from '../../protocol.ts';
import { encodeMessages } from './encode-messages.ts';
import { applyQuirks } from './quirks.ts';

export function encodeRequest(request: ChatRequest, target: CodecTarget): HttpParts {
  refuseForeignContent(request, 'openai-chat');
  const warnings = foreignFieldWarnings(request, 'openai-chat');
  const { quirks } = target;
  const { [HOSTED_TOOLS]: hosted, ...unknown } = request.extras['openai-chat'] ?? {};
  const body: JsonObject = {
    ...unknown,
    model: target.model,
    messages: encodeMessages(request.messages, quirks),
    ...encodeTools(request, quirks, Array.isArray(hosted) ? hosted : []),
    ...encodeOutput(request.output),
    ...encodeSampling(request.sampling),
    ...(target.maxOutputTokens !== undefined && { max_tokens: target.maxOutputTokens }),
    ...(request.user !== undefined && { user: request.user }),
    ...(target.stream && { stream: true, stream_options: { include_usage: true } }),
  };
  applyQuirks(body, request, target, warnings);
  return httpParts(body, target, warnings);
}

export function httpParts(body: JsonObject, target: CodecTarget, warnings: string[]): HttpParts {
  const { azure } = target.quirks;
  const path = azure
    ? `/deployments/${encodeURIComponent(target.model)}/chat/completions?api-version=${encodeURIComponent(azure.apiVersion)}`
    : '/chat/completions';
  return { path, headers: { accept: target.stream ? 'text/event-stream' : 'application/json' }, body, warnings };
}

function encodeTools(request: ChatRequest, quirks: Quirks, hosted: readonly Json[]): JsonObject {
  const { tools, toolChoice, parallelToolCalls } = request;
  // Providers refuse a choice, and some an empty list, where there is nothing to choose from.
  if (tools.length === 0 && hosted.length === 0) return {};
  const encoded = tools.map((tool) => encodeTool(tool, quirks));
  // They go to their places in the client's list, which names them in refusals.
  for (const entry of hosted) {
    if (isJsonObject(entry) && isJsonObject(entry['tool'])) encoded.splice(Number(entry['index']), 0, entry['tool']);
  }
  return {
    tools: encoded,
    ...(toolChoice && { tool_choice: encodeToolChoice(toolChoice, tools) }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
  };
}

function encodeTool(tool: Tool, { takesCacheControl }: Quirks): JsonObject {
  const described = { name: tool.name, ...(tool.description !== undefined && { description: tool.description }) };
  if (tool.kind === 'custom') return { type: 'custom', custom: { ...described, ...tool.extras?.['openai-chat'] } };
  return {
    type: 'function',
    function: {
      ...described,
      ...(tool.parameters && { parameters: tool.parameters }),
      ...(tool.strict !== undefined && { strict: tool.strict }),
    },
    ...(takesCacheControl && tool.cacheControl && { cache_control: { type: 'ephemeral', ...tool.cacheControl } }),
  };
}

function encodeToolChoice(choice: ToolChoice, tools: readonly Tool[]): Json {
  switch (choice.kind) {
    case 'auto':
    case 'none':
    case 'required':
      return choice.kind;
    case 'tool':
      return namedTool(choice.name, tools);
    case 'allowed':
      return {
        type: 'allowed_tools',
        allowed_tools: { mode: choice.mode, tools: choice.names.map((name) => namedTool(name, tools)) },
      };
  }
}

function namedTool(name: string, tools: readonly Tool[]): JsonObject {
  const custom = tools.some((tool) => tool.name === name && tool.kind === 'custom');
  return custom ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } };
}

function encodeOutput(output: OutputKind): JsonObject {
  switch (output.kind) {
    case 'text':
      return {};
    case 'json':
      return { response_format: { type: 'json_object' } };
    case 'json-schema': {
      const { kind: _kind, ...schema } = output;
      return { response_format: { type: 'json_schema', json_schema: schema } };
    }
  }
}

function encodeSampling(sampling: Sampling): JsonObject {
  const { temperature, topP, topK, seed, stop, presencePenalty, frequencyPenalty, logitBias, count } = sampling;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
    ...(seed !== undefined && { seed }),
    ...(stop && { stop }),
    ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
    ...(frequencyPenalty !== undefined && { frequency_penalty: frequencyPenalty }),
    ...(logitBias && { logit_bias: logitBias }),
    ...(count !== undefined && { n: count }),
    ...(sampling.logprobs !== undefined && { logprobs: sampling.logprobs }),
    ...(sampling.topLogprobs !== undefined && { top_logprobs: sampling.topLogprobs }),
  };
}
