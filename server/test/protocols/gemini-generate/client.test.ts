/** Gemini's API towards clients: conversations in, answers and errors out. */
import { ERRORS, type ErrorCode } from '@dargah/core/error-registry.ts';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/core/errors.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { money } from '../../../src/core/money.ts';
import { openThought, signThought } from '../../../src/protocols/gemini-generate/client/thought-signature.ts';
import {
  type AnswerClosing,
  ArrayFrames,
  type ClientView,
  geminiClient,
  geminiGenerateRelay,
  geminiUpstream,
  type SseFrame,
} from '../../../src/protocols/index.ts';

const { decodeRequest, openEncoder, encodeResponse, encodeError } = geminiClient({ model: 'a/b', stream: true });
const closing: AnswerClosing = {
  usage: { buckets: { inputFresh: 7, cacheRead: 3, output: 5, reasoning: 2 }, source: 'upstream' },
  cost: money(1_500_000n),
};
const HELLO = { contents: [{ parts: [{ text: 'hi' }] }] };

function view(body: JsonObject = HELLO): ClientView {
  return {
    requestId: 'req_1',
    responseId: 'gen_1',
    model: 'a/b',
    created: 1,
    inputEstimate: 5,
    language: 'en',
    request: decodeRequest(body),
  };
}

const jsonOf = (frames: string): JsonObject[] =>
  frames
    .split('\n\n')
    .filter(Boolean)
    .map((frame) => JSON.parse(frame.slice('data: '.length)) as JsonObject);
const call = (name: string, id?: string) => ({
  functionCall: { name, args: { n: 1 }, ...(id !== undefined && { id }) },
});
const result = (name: string, output: string, id?: string) => ({
  functionResponse: { name, response: { output }, ...(id !== undefined && { id }) },
});

describe('a conversation', () => {
  it('finds calls by id, by name, and by order', () => {
    const { messages } = decodeRequest({
      contents: [
        { role: 'user', parts: [{ text: 'go' }] },
        { role: 'model', parts: [call('f'), call('g', 'own'), call('f')] },
        { role: 'user', parts: [result('f', 'first'), result('anything', 'of g', 'own'), result('f', 'second')] },
      ],
    });
    const [, asked, answered] = messages;
    const ids = asked?.parts.map((part) => (part.kind === 'tool-call' ? part.id : ''));
    expect(new Set(ids).size).toBe(3);
    expect(answered?.role).toBe('tool');
    const told = answered?.parts.map((part) => part.kind === 'tool-result' && [part.callId, part.content]);
    expect(told).toEqual([
      [ids?.[0], [{ kind: 'text', text: 'first' }]],
      ['own', [{ kind: 'text', text: 'of g' }]],
      [ids?.[2], [{ kind: 'text', text: 'second' }]],
    ]);
  });

  it('joins the frames of a turn, and results lead what is said beside them', () => {
    const { messages } = decodeRequest({
      contents: [
        { parts: [{ text: 'go' }] },
        { role: 'model', parts: [{ text: 'Let ' }] },
        { role: 'model', parts: [{ text: 'me.' }, call('f')] },
        { role: 'model', parts: [{ text: '' }] },
        { role: 'user', parts: [{ text: 'by the way' }, result('f', 'ok')] },
      ],
    });
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(messages[1]?.parts[0]).toEqual({ kind: 'text', text: 'Let me.' });
  });

  it.each<[string, JsonObject, string]>([
    ['a call that nobody answers', { contents: [{ role: 'model', parts: [call('f')] }] }, 'contents.0.parts.0'],
    ['a result without a call', { contents: [{ parts: [result('f', 'x')] }] }, 'contents.0.parts.0'],
    ['a call of the user', { contents: [{ parts: [call('f')] }] }, 'contents.0.parts.0'],
    ['a part with nothing in it', { contents: [{ parts: [{}] }] }, 'contents.0.parts.0'],
    ['a role that is none', { contents: [{ role: 'system', parts: [] }] }, 'contents.0.role'],
    ['no contents', { contents: [] }, 'contents'],
  ])('refuses %s by name', (_what, body, param) => {
    expect(() => decodeRequest(body)).toThrowError(
      expect.objectContaining({ options: expect.objectContaining({ param }) }),
    );
  });

  it('may leave out the brackets around one item, write a mode small, and answer as a tool', () => {
    const tool = { functionDeclarations: [{ name: 'f' }] };
    const mode = { mode: 'ANY', allowedFunctionNames: ['f'] };
    const strict = decodeRequest({
      contents: [{ parts: [{ text: 'go' }] }, { role: 'model', parts: [call('f')] }, { parts: [result('f', 'x')] }],
      tools: [tool],
      toolConfig: { functionCallingConfig: mode },
    });
    expect(
      decodeRequest({
        contents: [
          { parts: { text: 'go' } },
          { role: 'model', parts: call('f') },
          { role: 'tool', parts: result('f', 'x') },
        ],
        tools: { function_declarations: { name: 'f' } },
        tool_config: { functionCallingConfig: { ...mode, mode: 'any' } },
      }),
    ).toEqual(strict);
    expect(decodeRequest({ contents: { parts: { text: 'hi' } } })).toEqual(decodeRequest(HELLO));
  });

  it('an object of its own comes back to Google as it was, and to others as JSON', () => {
    const response = { degrees: 41, sky: { clear: true } };
    const body: JsonObject = {
      contents: [{ role: 'model', parts: [call('f')] }, { parts: [{ functionResponse: { name: 'f', response } }] }],
    };
    const target = {
      model: 'gemini-3-pro',
      stream: false,
      maxOutputTokens: 9,
      modelMaxOutput: 9,
      capabilities: new Set<string>(),
      quirks: {},
    };
    const sent = geminiUpstream.encodeRequest(decodeRequest(body), target).body as { contents: JsonObject[] };
    expect(JSON.stringify(sent.contents[1])).toContain(JSON.stringify(response));
  });
});

describe('thought signatures', () => {
  const foreign = { origin: 'anthropic-messages', signature: 'AbC+/=' } as const;

  it("another vendor's is sealed as base64 and opened in either alphabet; Google's passes as it is", () => {
    const sealed = signThought(foreign) ?? '';
    expect(Buffer.from(sealed, 'base64').toString('base64')).toBe(sealed);
    expect(openThought(sealed)).toEqual(foreign);
    expect(openThought(sealed.replaceAll('+', '-').replaceAll('/', '_'))).toEqual(foreign);
    expect(openThought('Cg4KDA==')).toEqual({ signature: 'Cg4KDA==', origin: 'gemini-generate' });
    expect(signThought({ origin: 'gemini-generate', signature: 'Cg4KDA==' })).toBe('Cg4KDA==');
  });
});

describe('an answer', () => {
  it('tells thoughts beside the answer and cached tokens inside the prompt', () => {
    const choices = [
      { index: 0, parts: [{ kind: 'text' as const, text: 'x' }], finish: { kind: 'tool-calls' as const } },
    ];
    expect(encodeResponse({ choices }, view(), closing)).toMatchObject({
      candidates: [{ content: { role: 'model', parts: [{ text: 'x' }] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount: 10,
        cachedContentTokenCount: 3,
        candidatesTokenCount: 5,
        thoughtsTokenCount: 2,
        totalTokenCount: 17,
        cost: 1.5,
      },
    });
  });

  it('that was refused before its first word is a blocked prompt, whole and streamed', () => {
    const finish = { kind: 'content-filter' as const };
    const blocked = { promptFeedback: { blockReason: 'SAFETY' } };
    expect(encodeResponse({ choices: [{ index: 0, parts: [], finish }] }, view(), closing)).toMatchObject(blocked);
    const encoder = openEncoder(view());
    encoder.encode({ type: 'response-end', finishes: [finish] });
    expect(jsonOf(encoder.finish(closing))).toMatchObject([blocked]);
  });

  it('streams a call whole, with its signature', () => {
    const encoder = openEncoder(view());
    const toolCall = { id: 'c', name: 'f' };
    let text = encoder.encode({ type: 'part-start', part: 0, choice: 0, kind: 'tool-call', toolCall });
    for (const piece of ['{"a"', ':1}']) text += encoder.encode({ type: 'part-delta', part: 0, text: piece });
    expect(text).toBe('');
    const parts = [{ functionCall: { id: 'c', name: 'f', args: { a: 1 } }, thoughtSignature: 'sig' }];
    expect(jsonOf(encoder.encode({ type: 'part-end', part: 0, signature: 'sig' }))).toMatchObject([
      { candidates: [{ content: { parts } }] },
    ]);
  });

  it('as an array is JSON, also when nothing was said', () => {
    const frames = new ArrayFrames();
    const text =
      frames.write('data: {"a":1}\n\n') + frames.write('data: {"b":"data: "}\n\ndata: {"c":3}\n\n') + frames.end();
    expect(JSON.parse(text)).toEqual([{ a: 1 }, { b: 'data: ' }, { c: 3 }]);
    expect(JSON.parse(new ArrayFrames().end())).toEqual([]);
  });
});

describe('the relay', () => {
  const frame = (json: JsonObject): SseFrame => ({ event: undefined, data: JSON.stringify(json), json });

  it('hands on what it does not know, and tells the end once, with the charge', () => {
    const relay = geminiGenerateRelay.openRelay(view());
    const said = { content: { role: 'model', parts: [{ text: 'x' }] }, finishReason: 'STOP', novelty: { y: 1 } };
    const first = jsonOf(
      relay.forward(frame({ candidates: [said], modelVersion: 'gemini-secret', responseId: 'theirs' })),
    );
    expect(first).toMatchObject([{ candidates: [{ novelty: { y: 1 } }], modelVersion: 'a/b', responseId: 'gen_1' }]);
    expect(JSON.stringify(first)).not.toContain('finishReason');
    expect(relay.forward(frame({ usageMetadata: { promptTokenCount: 10 } }))).toBe('');
    expect(relay.forward(frame({ error: { code: 500, message: 'secret' } }))).toBe('');
    expect(jsonOf(relay.finish(closing))).toMatchObject([
      { candidates: [{ content: { parts: [{ text: '' }] }, finishReason: 'STOP' }], usageMetadata: { cost: 1.5 } },
    ]);
  });

  it('writes frames of one line, also for readers that end a line wherever Unicode does, as does the encoder', () => {
    const text = 'one\u2028two\u2029three\u0085four';
    const encoder = openEncoder(view());
    encoder.encode({ type: 'part-start', part: 0, choice: 0, kind: 'text' });
    const candidates = [{ content: { role: 'model', parts: [{ text }] } }];
    const frames = [
      encoder.encode({ type: 'part-delta', part: 0, text }),
      geminiGenerateRelay.openRelay(view()).forward(frame({ candidates })),
    ];
    for (const written of frames) {
      expect(written).not.toMatch(/[\u0085\u2028\u2029]/);
      expect(jsonOf(written)).toMatchObject([{ candidates }]);
    }
  });

  it('that was cut says so', () => {
    const relay = geminiGenerateRelay.openRelay(view());
    relay.forward(frame({ candidates: [{ content: { parts: [{ text: 'x' }] } }] }));
    expect(relay.cutShort()).toBe('');
    expect(jsonOf(relay.finish(closing))).toMatchObject([{ candidates: [{ finishReason: 'MAX_TOKENS' }] }]);
  });
});

describe('errors', () => {
  const WORDS = [
    'INVALID_ARGUMENT',
    'UNAUTHENTICATED',
    'FAILED_PRECONDITION',
    'PERMISSION_DENIED',
    'NOT_FOUND',
    'ABORTED',
    'RESOURCE_EXHAUSTED',
    'INTERNAL',
    'UNAVAILABLE',
    'DEADLINE_EXCEEDED',
    'CANCELLED',
  ];
  /** A status without a word of its own would be told as one of these by guess. */
  const OF_STATUS: Record<number, string> = {
    400: 'INVALID_ARGUMENT',
    401: 'UNAUTHENTICATED',
    403: 'PERMISSION_DENIED',
    404: 'NOT_FOUND',
    429: 'RESOURCE_EXHAUSTED',
    500: 'INTERNAL',
    502: 'UNAVAILABLE',
    503: 'UNAVAILABLE',
    504: 'DEADLINE_EXCEEDED',
  };

  it.each(Object.keys(ERRORS) as ErrorCode[])('%s has its word, its code and its remedy', (code) => {
    const remedyUrl = 'https://gate.example/console/wallet';
    const error = new GatewayError(code, { param: 'n', retryAfterMs: 1_500, detail: { missing_toman: 3 } });
    const { error: told } = encodeError(error, { requestId: 'req_1', language: 'en', remedyUrl }) as {
      error: JsonObject;
    };
    expect(told['code']).toBe(ERRORS[code].status);
    expect(WORDS).toContain(told['status']);
    expect(told['status']).toBe(OF_STATUS[ERRORS[code].status] ?? told['status']);
    expect(told['details']).toMatchObject([
      {
        reason: code,
        metadata: {
          remedy_url: remedyUrl,
          request_id: 'req_1',
          missing_toman: '3',
          param: 'generationConfig.candidateCount',
        },
      },
      { fieldViolations: [{ field: 'generationConfig.candidateCount' }] },
      { retryDelay: '1.5s' },
      { links: [{ url: remedyUrl }] },
    ]);
  });
});
