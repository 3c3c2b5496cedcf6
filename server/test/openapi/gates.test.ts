/**
 * The decoder is the one validator of a body in a client's protocol; its published schema must agree with it: what the schema
 * refuses the decoder refuses too, and no client is told of a field that is not taken.
 */

import { SpeechBody } from '@dargah/api/bodies/audio.ts';
import { ChatCompletionRequest } from '@dargah/api/bodies/chat-completions.ts';
import { EmbeddingsRequest } from '@dargah/api/bodies/embeddings.ts';
import { MessagesRequest } from '@dargah/api/bodies/messages.ts';
import { ResponsesRequest } from '@dargah/api/bodies/responses.ts';
import fc from 'fast-check';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.ts';
import {
  anthropicMessagesClient,
  decodeEmbeddingRequest,
  decodeSpeechRequest,
  openaiChatClient,
  openaiResponsesClient,
} from '../../src/protocols/index.ts';
import { describeCorpus } from '../protocols/corpus.ts';

interface Protocol {
  schema: TSchema;
  decode(body: JsonObject): unknown;
  /** Bodies as the official SDKs write them, nulls included. */
  sent: JsonObject[];
}

const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' }, strict: null } };
const PROTOCOLS: Record<string, Protocol> = {
  chat: {
    schema: ChatCompletionRequest,
    decode: (body) => openaiChatClient.decodeRequest(body),
    sent: [
      {
        model: 'a/b',
        messages: [
          { role: 'system', content: 'x' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'y' },
              { type: 'image_url', image_url: { url: 'https://a.b/c.png', detail: 'low' } },
            ],
          },
          {
            role: 'assistant',
            content: null,
            refusal: null,
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'c1', content: 'z' },
        ],
        tools: [tool],
        tool_choice: { type: 'function', function: { name: 'f' } },
        response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {}, strict: true } },
        stop: ['a'],
        logit_bias: { '5': -1 },
        reasoning: { effort: 'low' },
        svc: { knowledge_base_ids: ['kb_1'], routing: { sort: 'price', max_price: { input: 1 } } },
      },
      {
        model: null,
        messages: [{ role: 'user', content: 'x', name: null }],
        max_tokens: null,
        temperature: null,
        stop: null,
        stream: null,
        tools: null,
        tool_choice: null,
        response_format: null,
        user: '',
        seed: null,
        metadata: null,
        svc: null,
      },
    ],
  },
  messages: {
    schema: MessagesRequest,
    decode: (body) => anthropicMessagesClient.decodeRequest(body),
    sent: [
      {
        model: 'a/b',
        max_tokens: 5,
        system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }],
        messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
        thinking: { type: 'enabled', budget_tokens: 1024 },
        tools: [{ name: 'f', input_schema: { type: 'object' } }],
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
        metadata: { user_id: null },
        stop_sequences: ['a'],
      },
    ],
  },
  responses: {
    schema: ResponsesRequest,
    decode: (body) => openaiResponsesClient.decodeRequest(body),
    sent: [
      {
        model: 'a/b',
        input: 'x',
        instructions: null,
        reasoning: { effort: 'low' },
        text: { format: { type: 'text' } },
      },
      { model: 'a/b', input: [{ role: 'user', content: 'x' }], store: false, include: [], tools: [] },
    ],
  },
  embeddings: {
    schema: EmbeddingsRequest,
    decode: decodeEmbeddingRequest,
    sent: [
      { model: 'a/b', input: 'x', encoding_format: 'base64' },
      { model: 'a/b', input: [[1, 2], [3]], dimensions: null },
      { model: 'a/b', input: [1, 2] },
    ],
  },
  speech: {
    schema: SpeechBody,
    decode: (body) => decodeSpeechRequest(body, 4096),
    sent: [{ model: 'a/b', input: 'x', voice: 'alloy', response_format: 'mp3', speed: 1, instructions: null }],
  },
};

function refusedBy(decode: (body: JsonObject) => unknown, body: JsonObject): string | undefined {
  try {
    decode(body);
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'invalid_request') return error.options.param ?? 'body';
    throw error;
  }
}

const odd: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    null,
    '',
    0,
    -1,
    1.5,
    1e12,
    true,
    false,
    [],
    {},
    'auto',
    'user',
    'text',
    'function',
    [null],
    [{}],
    { type: 'text' },
  ),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
);

/** A body as an SDK sends it, with one value anywhere in it replaced or one field taken away. */
function damaged(body: JsonObject): fc.Arbitrary<JsonObject> {
  const places = placesIn(body, []);
  return fc.tuple(fc.constantFrom(...places), odd, fc.boolean()).map(([place, value, remove]) => {
    const copy = structuredClone(body) as JsonObject;
    let node = copy as Record<string | number, Json | undefined>;
    for (const step of place.slice(0, -1)) node = node[step] as Record<string | number, Json | undefined>;
    const last = place.at(-1) ?? '';
    if (remove && !Array.isArray(node)) delete node[last];
    else node[last] = value;
    return copy;
  });
}

function placesIn(node: Json, path: (string | number)[]): (string | number)[][] {
  if (typeof node !== 'object' || node === null) return [];
  const entries: [string | number, Json | undefined][] = Array.isArray(node)
    ? [...node.entries()]
    : Object.entries(node);
  return entries.flatMap(([key, value]) => [[...path, key], ...placesIn(value ?? null, [...path, key])]);
}

describe.each(Object.entries(PROTOCOLS))('the schema of %s', (_name, { schema, decode, sent }) => {
  const validator = Compile(schema);

  it('takes what the SDKs send', () => {
    for (const body of sent) {
      expect([validator.Errors(body), refusedBy(decode, body)]).toEqual([[], undefined]);
    }
  });

  it('refuses nothing that its decoder takes', () => {
    fc.assert(
      fc.property(fc.oneof(...sent.map(damaged)), (body) => {
        if (!validator.Check(body) && refusedBy(decode, body) === undefined)
          throw new Error(`only the schema refuses it: ${JSON.stringify(validator.Errors(body).slice(0, 2))}`);
      }),
      { numRuns: 2_000 },
    );
  });

  it('refuses with the name of the field', () => {
    const [body = {}] = sent;
    for (const field of Object.keys(body)) {
      const param = refusedBy(decode, { ...body, [field]: { broken: true } });
      if (!validator.Check({ ...body, [field]: { broken: true } })) expect(param?.split('.')[0]).toBe(field);
    }
  });
});

describeCorpus('recorded requests', ['openai-chat', 'anthropic-messages', 'openai-responses'], (exchanges) => {
  const byApi: Record<string, TSchema> = {
    'openai-chat': ChatCompletionRequest,
    'anthropic-messages': MessagesRequest,
    'openai-responses': ResponsesRequest,
  };
  const decoders: Record<string, (body: JsonObject) => unknown> = {
    'openai-chat': (body) => openaiChatClient.decodeRequest(body),
    'anthropic-messages': (body) => anthropicMessagesClient.decodeRequest(body),
    'openai-responses': (body) => openaiResponsesClient.decodeRequest(body),
  };

  it('are refused by a schema only where the decoder refuses them', () => {
    const compiled = new Map(Object.entries(byApi).map(([api, schema]) => [api, Compile(schema)]));
    let taken = 0;
    for (const { id, api, req } of exchanges) {
      const validator = compiled.get(api);
      const decode = decoders[api];
      // Some recordings have no body: they read a list.
      if (!validator || !decode || !isJsonObject(req)) continue;
      if (validator.Check(req)) taken++;
      else expect([id, refusedBy(decode, req)]).not.toEqual([id, undefined]);
    }
    expect(taken).toBeGreaterThan(100);
  });
});
