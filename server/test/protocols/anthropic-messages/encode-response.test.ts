import { ERRORS, type ErrorCode } from '@dargah/core/error-registry.ts';
import { describe, expect, it } from 'vitest';
import type { ChatResponse, Part } from '../../../src/core/chat.ts';
import { GatewayError, invalidRequest } from '../../../src/core/errors.ts';
import { reasons } from '../../../src/core/reasons.ts';
import { anthropicMessagesClient, encodeTokenCount } from '../../../src/protocols/index.ts';
import { closing, view } from './surroundings.ts';

function encode(parts: Part[], more: Partial<ChatResponse> = {}, end = closing()) {
  const answer = { choices: [{ index: 0, parts, finish: { kind: 'stop' as const } }], ...more };
  return anthropicMessagesClient.encodeResponse(answer, view(), end);
}

describe('a whole answer', () => {
  it('is a full message object', () => {
    const usage = {
      buckets: {
        inputFresh: 3,
        imageInput: 2,
        cacheRead: 7,
        cacheWrite5m: 1,
        cacheWrite1h: 4,
        output: 5,
        reasoning: 6,
      },
      source: 'upstream' as const,
    };
    const reference = {
      index: 1,
      knowledgeBaseId: 'kb',
      documentId: 'd',
      title: 'T',
      place: 4,
      heading: 'H',
      excerpt: 'e',
      score: 1,
    };
    expect(encode([{ kind: 'text', text: 'hi' }], {}, closing({ usage, references: [reference] }))).toEqual({
      id: 'msg_ours',
      type: 'message',
      role: 'assistant',
      model: 'vendor/model',
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 5,
        cache_creation_input_tokens: 5,
        cache_read_input_tokens: 7,
        cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 4 },
        output_tokens: 11,
        output_tokens_details: { thinking_tokens: 6 },
        cost: 0.00195,
      },
      svc: {
        references: [
          {
            index: 1,
            knowledge_base_id: 'kb',
            document_id: 'd',
            title: 'T',
            place: 4,
            heading: 'H',
            excerpt: 'e',
            score: 1,
          },
        ],
      },
    });
  });

  it('shows what other protocols say in blocks of this one', () => {
    const { content, stop_reason } = encode([
      { kind: 'reasoning', text: 'unsigned' },
      { kind: 'text', text: '' },
      { kind: 'refusal', text: 'no' },
      { kind: 'audio', format: 'wav', data: 'AA', transcript: 'spoken' },
      { kind: 'text', text: 'cited', citations: [{ url: 'https://e', title: 'E', quote: 'q' }] },
    ]);
    expect(content).toEqual([
      { type: 'thinking', thinking: 'unsigned', signature: '' },
      { type: 'text', text: 'no' },
      { type: 'text', text: 'spoken' },
      {
        type: 'text',
        text: 'cited',
        citations: [
          { type: 'web_search_result_location', url: 'https://e', title: 'E', cited_text: 'q', encrypted_index: '' },
        ],
      },
    ]);
    expect(stop_reason).toBe('refusal');
  });

  it('says tool_use when a tool was called, whatever the provider said', () => {
    const call: Part = { kind: 'tool-call', id: 'functions.f:0', name: 'f', arguments: '' };
    expect(encode([call])).toMatchObject({
      content: [{ type: 'tool_use', id: 'functions_f_0', name: 'f', input: {} }],
      stop_reason: 'tool_use',
    });
  });

  it('is empty when nothing was said', () => {
    expect(encode([], { choices: [] })).toMatchObject({ content: [], stop_reason: 'end_turn' });
  });

  it('counts tokens in one number', () => {
    expect(encodeTokenCount(42)).toEqual({ input_tokens: 42 });
  });
});

describe('an error', () => {
  const encodeError = (error: GatewayError) =>
    anthropicMessagesClient.encodeError(error, { requestId: 'req_1', language: 'fa' });

  it('has the shape of this language, in Persian, with the code where both generations of SDKs look', () => {
    const error = invalidRequest('max_tokens', reasons.required('max_tokens'), {
      detail: { hint: 1 },
      retryAfterMs: 5,
    });
    expect(encodeError(error)).toEqual({
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'درخواست نامعتبر است. فیلد «max_tokens» لازم است.',
        code: 'invalid_request',
        param: 'max_tokens',
        hint: 1,
        retry_after_ms: 5,
        details: { error_code: 'invalid_request' },
      },
      request_id: 'req_1',
    });
  });

  it('knows the type of every code', () => {
    for (const code of Object.keys(ERRORS) as ErrorCode[]) {
      expect(encodeError(new GatewayError(code))).toMatchObject({ error: { type: ERRORS[code].messagesType, code } });
    }
  });

  it('keeps the English words coding agents act on', () => {
    const verbatim = 'prompt is too long: 210000 tokens > 200000 maximum';
    expect(encodeError(new GatewayError('invalid_request', { verbatim }))).toMatchObject({
      error: { message: verbatim },
    });
  });
});
