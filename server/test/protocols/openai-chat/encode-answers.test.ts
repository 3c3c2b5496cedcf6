/** The exact shapes of the contract: whole answers, streams and errors. */
import { describe, expect, test } from 'vitest';
import type { Part } from '../../../src/core/chat.ts';
import { GatewayError, invalidRequest } from '../../../src/core/errors.ts';
import type { ChatEvent } from '../../../src/core/events.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import {
  type AnswerClosing,
  openaiChatClient,
  openaiChatUpstream,
  unfoldResponse,
} from '../../../src/protocols/index.ts';
import { decodeText, foldEvents } from '../streams.ts';
import { closing, closingUsage, fixture, payloads, silentView, target, view } from './fixtures.ts';

const references = [
  { index: 1, knowledgeBaseId: 'kb', documentId: 'd', title: 'T', place: 4, page: 3, excerpt: 'E', score: 0.5 },
];
const wireReferences = [
  { index: 1, knowledge_base_id: 'kb', document_id: 'd', title: 'T', place: 4, page: 3, excerpt: 'E', score: 0.5 },
];

function whole(parts: Part[], more: Partial<AnswerClosing> = {}): JsonObject {
  const response = { choices: [{ index: 0, parts, finish: { kind: 'stop' as const } }] };
  return openaiChatClient.encodeResponse(response, view(), { ...closing, ...more });
}

const message = (parts: Part[]): unknown => (whole(parts)['choices'] as JsonObject[])[0]?.['message'];

function stream(events: ChatEvent[], seen = view(), more: Partial<AnswerClosing> = {}) {
  const encoder = openaiChatClient.openEncoder(seen);
  const text = events.map((event) => encoder.encode(event)).join('');
  return payloads(text + encoder.finish({ ...closing, ...more }));
}

const streamed = (parts: Part[]) => unfoldResponse({ choices: [{ index: 0, parts, finish: { kind: 'stop' } }] });
const deltas = (chunks: (JsonObject | '[DONE]')[]) =>
  chunks.flatMap((chunk) =>
    chunk === '[DONE]' ? [] : (chunk['choices'] as JsonObject[]).map((choice) => choice['delta']),
  );

describe('a whole answer', () => {
  test('every field of the contract', () => {
    expect(whole([{ kind: 'text', text: 'سلام' }])).toEqual({
      id: 'chatcmpl-ours',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'vendor/model',
      system_fingerprint: null,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'سلام', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: closingUsage,
    });
  });

  test('content is null beside tool calls alone, and empty when there is nothing', () => {
    expect(message([{ kind: 'tool-call', id: 'c', name: 'f', arguments: '' }])).toEqual({
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    });
    expect(message([])).toEqual({ role: 'assistant', content: '', refusal: null });
    expect(message([{ kind: 'refusal', text: 'no' }])).toEqual({ role: 'assistant', content: null, refusal: 'no' });
  });

  test('plain reasoning in both fields that clients read; citations as annotations', () => {
    expect(
      message([
        { kind: 'reasoning', text: 'hm' },
        { kind: 'text', text: 'a', citations: [{ url: 'https://a.example', start: 0, end: 1 }] },
      ]),
    ).toEqual({
      role: 'assistant',
      content: 'a',
      refusal: null,
      reasoning_content: 'hm',
      reasoning_details: [{ type: 'reasoning.text', text: 'hm', index: 0 }],
      annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example', start_index: 0, end_index: 1 } }],
    });
  });

  test('references and notes stand in svc; an estimate says so', () => {
    const body = whole([], {
      references,
      notes: ['cut'],
      usage: { source: 'estimated', buckets: { inputFresh: 1, output: 2 } },
    });
    expect(body['svc']).toEqual({ references: wireReferences, notes: ['cut'] });
    expect(body['usage']).toEqual({
      prompt_tokens: 1,
      completion_tokens: 2,
      total_tokens: 3,
      cost: 0.00195,
      estimated: true,
    });
  });
});

describe('a streamed answer', () => {
  const head = { id: 'chatcmpl-ours', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'vendor/model' };
  const choice = (delta: object, finish_reason: string | null = null) => ({
    index: 0,
    delta,
    logprobs: null,
    finish_reason,
  });

  test('role, content, finish, usage, terminator: exactly these frames', () => {
    const events = decodeText(openaiChatUpstream.openDecoder(target()), fixture('regular'));
    expect(stream(events)).toEqual([
      { ...head, choices: [choice({ role: 'assistant', content: '', refusal: null })] },
      { ...head, choices: [choice({ content: 'سلا' })] },
      { ...head, choices: [choice({ content: 'م ' })] },
      { ...head, choices: [choice({ content: '👋' })] },
      { ...head, choices: [choice({}, 'stop')] },
      { ...head, choices: [], usage: closingUsage },
      '[DONE]',
    ]);
  });

  test('no usage unless it was asked for', () => {
    const chunks = stream(streamed([{ kind: 'text', text: 'a' }]), silentView());
    expect(JSON.stringify(chunks)).not.toContain('usage');
    expect(chunks.at(-1)).toBe('[DONE]');
  });

  test('references come in the last chunk before the terminator, with usage or without', () => {
    expect(stream(streamed([]), view(), { references }).at(-2)).toEqual({
      ...head,
      choices: [],
      usage: closingUsage,
      svc: { references: wireReferences },
    });
    expect(stream(streamed([]), silentView(), { references }).at(-2)).toEqual({
      ...head,
      choices: [],
      svc: { references: wireReferences },
    });
  });

  test('tool calls: named once, then only grown, numbered by us from 0', () => {
    const events = decodeText(openaiChatUpstream.openDecoder(target()), fixture('tools-interleaved'));
    expect(deltas(stream(events)).slice(1)).toEqual([
      { tool_calls: [{ index: 0, id: 'call_a', type: 'function', function: { name: 'weather', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] },
      { tool_calls: [{ index: 1, id: 'call_b', type: 'function', function: { name: 'clock', arguments: '' } }] },
      { tool_calls: [{ index: 1, function: { arguments: '{' } }] },
      { tool_calls: [{ index: 1, function: { arguments: '}' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '"تهران"}' } }] },
      {},
    ]);
  });

  test('a call without arguments gets {}', () => {
    const chunks = deltas(stream(streamed([{ kind: 'tool-call', id: 'c', name: 'f', arguments: '' }])));
    expect(chunks).toContainEqual({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] });
  });

  test('summaries and encrypted reasoning come back as they were', () => {
    const parts: Part[] = [
      { kind: 'reasoning', text: 'short', summary: true, id: 'rs_1', encrypted: 'opaque', origin: 'openai-responses' },
      { kind: 'reasoning', text: '', encrypted: 'redacted', origin: 'anthropic-messages' },
      { kind: 'text', text: 'so' },
    ];
    const encoder = openaiChatClient.openEncoder(view());
    const text =
      streamed(parts)
        .map((event) => encoder.encode(event))
        .join('') + encoder.finish(closing);
    const again = foldEvents(decodeText(openaiChatUpstream.openDecoder(target()), text));
    expect(again).toMatchObject({ choices: [{ parts }] });
  });

  test('refusal, logprobs, audio and images have their fields', () => {
    for (const [name, field] of [
      ['refusal', 'refusal'],
      ['audio', 'audio'],
      ['images', 'images'],
      ['annotations', 'annotations'],
    ] as const) {
      const events = decodeText(openaiChatUpstream.openDecoder(target()), fixture(name));
      expect(deltas(stream(events)).slice(1), name).toContainEqual(
        expect.objectContaining({ [field]: expect.anything() }),
      );
    }
    const events = decodeText(openaiChatUpstream.openDecoder(target()), fixture('logprobs'));
    expect(stream(events)[1]).toMatchObject({ choices: [{ logprobs: { content: [{ token: 'سلا' }] } }] });
  });

  test('every choice begins with its role and ends with its reason', () => {
    const events = decodeText(openaiChatUpstream.openDecoder(target()), fixture('two-choices'));
    const seen = stream(events).flatMap((chunk) => (chunk === '[DONE]' ? [] : (chunk['choices'] as JsonObject[])));
    for (const index of [0, 1]) {
      const own = seen.filter((item) => item['index'] === index);
      expect(own[0]?.['delta']).toMatchObject({ role: 'assistant' });
      expect(own.at(-1)).toMatchObject({ delta: {}, finish_reason: index === 0 ? 'length' : 'stop' });
    }
  });

  test('a failure is a bare error without a terminator', () => {
    const encoder = openaiChatClient.openEncoder(view());
    expect(encoder.fail(new GatewayError('upstream_error'))).toMatch(/^data: \{"error":\{.*\}\}\n\n$/);
    expect(encoder.fail(new GatewayError('upstream_error'))).not.toContain('[DONE]');
  });

  test('the keep-alive is a comment, which no client sees', () => {
    expect(
      decodeText(openaiChatUpstream.openDecoder(target()), openaiChatClient.keepAliveFrame + fixture('regular')),
    ).toEqual(decodeText(openaiChatUpstream.openDecoder(target()), fixture('regular')));
  });
});

describe('errors', () => {
  test('message, type, code, param and machine detail', () => {
    const error = invalidRequest('messages', { fa: 'ف', en: 'E' }, { detail: { missing_toman: 5 } });
    expect(openaiChatClient.encodeError(error, { requestId: 'r', language: 'en' })).toEqual({
      error: {
        message: 'The request is invalid. E',
        type: 'invalid_request_error',
        code: 'invalid_request',
        param: 'messages',
        missing_toman: 5,
      },
    });
    expect(
      openaiChatClient.encodeError(new GatewayError('rate_limited'), { requestId: 'r', language: 'fa' }),
    ).toMatchObject({
      error: { type: 'rate_limit_error', code: 'rate_limited', param: null },
    });
  });
});
