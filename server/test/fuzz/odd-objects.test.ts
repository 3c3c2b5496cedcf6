/** An object whose own `toString` is no function breaks every place that turns client values into text without looking. */
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/core/errors.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import {
  anthropicMessagesClient,
  decodeBatchEmbed,
  decodeEmbeddingRequest,
  geminiGenerateClient,
  openaiChatClient,
  openaiResponsesClient,
} from '../../src/protocols/index.ts';

const ODD: JsonObject = { toString: 0, valueOf: 0 };
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };
const svc = {
  knowledge_base_ids: ['kb_1'],
  routing: { only: ['a'], sort: 'price', max_price: { input: 1 }, models: ['a/b'] },
};

const bodies: [string, (body: JsonObject) => unknown, JsonObject][] = [
  [
    'chat',
    openaiChatClient.decodeRequest,
    {
      model: 'a/b',
      messages: [
        { role: 'system', content: 'x', name: 'n' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'x' },
            { type: 'image_url', image_url: { url: 'https://a.example/x.png', detail: 'low' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'ok' },
      ],
      tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: SCHEMA, strict: true } }],
      tool_choice: { type: 'function', function: { name: 'f' } },
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: SCHEMA } },
      stop: ['a'],
      stream_options: { include_usage: true },
      reasoning_effort: 'low',
      reasoning: { effort: 'low' },
      user: 'u',
      svc,
    },
  ],
  [
    'gemini',
    geminiGenerateClient.decodeRequest,
    {
      contents: [
        { role: 'user', parts: [{ text: 'x' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
        {
          role: 'model',
          parts: [{ text: 't', thought: true, thoughtSignature: 's' }, { functionCall: { name: 'f', args: {} } }],
        },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'ok' } } }] },
      ],
      systemInstruction: { parts: [{ text: 's' }] },
      tools: [{ functionDeclarations: [{ name: 'f', description: 'd', parameters: SCHEMA }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      generationConfig: {
        temperature: 1,
        stopSequences: ['a'],
        responseMimeType: 'application/json',
        responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
        responseModalities: ['TEXT'],
        thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true },
      },
      safetySettings: [{ category: 'c', threshold: 't' }],
      svc,
    },
  ],
  [
    'gemini embeddings',
    (body) => decodeBatchEmbed(body, 'a/b'),
    { requests: [{ content: { parts: [{ text: 'x' }] }, taskType: 't', outputDimensionality: 3 }], svc },
  ],
  [
    'messages',
    anthropicMessagesClient.decodeRequest,
    {
      model: 'a/b',
      max_tokens: 5,
      system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'x' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aaaa' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 't', signature: 's' },
            { type: 'tool_use', id: 't1', name: 'f', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'ok' }], is_error: false },
          ],
        },
      ],
      tools: [{ name: 'f', description: 'd', input_schema: SCHEMA }],
      tool_choice: { type: 'tool', name: 'f' },
      thinking: { type: 'enabled', budget_tokens: 1024 },
      output_config: { effort: 'low', format: { type: 'json_schema', schema: SCHEMA } },
      metadata: { user_id: 'u' },
      stop_sequences: ['a'],
      svc,
    },
  ],
  [
    'responses',
    openaiResponsesClient.decodeRequest,
    {
      model: 'a/b',
      instructions: 'i',
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] },
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 's' }], encrypted_content: 'e' },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'ok' },
      ],
      tools: [
        { type: 'function', name: 'f', parameters: SCHEMA },
        { type: 'web_search' },
        { type: 'namespace', name: 'ns', tools: [{ type: 'function', name: 'g', parameters: SCHEMA }] },
      ],
      tool_choice: 'auto',
      reasoning: { effort: 'low', summary: 'auto' },
      text: { format: { type: 'json_schema', name: 'n', schema: SCHEMA }, verbosity: 'low' },
      include: ['reasoning.encrypted_content'],
      metadata: { a: 'b' },
      svc,
    },
  ],
  [
    'embeddings',
    decodeEmbeddingRequest,
    { model: 'a/b', input: ['x'], encoding_format: 'float', dimensions: 8, user: 'u' },
  ],
];

/** The body once for every place in it, with the odd object there. */
function* withOddEverywhere(value: Json): Generator<Json> {
  yield ODD;
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) for (const odd of withOddEverywhere(item)) yield value.with(at, odd);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      for (const odd of withOddEverywhere(item as Json)) yield { ...value, [key]: odd };
    }
  }
}

describe.each(bodies)('an object that cannot be turned into text, anywhere in %s', (_name, decode, body) => {
  it('is refused or carried, never a fault of ours', () => {
    expect(() => decode(structuredClone(body))).not.toThrow();
    for (const odd of withOddEverywhere(body)) {
      try {
        decode(odd as JsonObject);
      } catch (error) {
        expect(error, JSON.stringify(odd)).toBeInstanceOf(GatewayError);
      }
    }
  });
});
