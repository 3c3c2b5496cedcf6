/** Converse: what is asked, what is understood of answers and streams, and the recorded ones where they are present. */
import { describe, expect, it } from 'vitest';
import type { ChatRequest, Message } from '../../src/core/chat.ts';
import { awsFailure } from '../../src/protocols/aws-failure.ts';
import { bedrockConverseUpstream as converse } from '../../src/protocols/bedrock-converse/index.ts';
import { type CodecTarget, EventFold, isFailure, openGuard, type SseFrame } from '../../src/protocols/index.ts';

const CLAUDE = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
const target = (more: Partial<CodecTarget> = {}): CodecTarget => ({
  model: CLAUDE,
  stream: false,
  maxOutputTokens: undefined,
  modelMaxOutput: 64_000,
  capabilities: new Set(['tools', 'vision', 'reasoning', 'json_schema']),
  quirks: {},
  ...more,
});
const request = (messages: Message[], more: Partial<ChatRequest> = {}): ChatRequest => ({
  model: 'anthropic/claude',
  messages,
  tools: [],
  output: { kind: 'text' },
  sampling: {},
  stream: false,
  includeUsage: undefined,
  svc: { knowledgeBaseIds: [] },
  extras: {},
  ...more,
});
const text = (role: Message['role'], words: string): Message => ({ role, parts: [{ kind: 'text', text: words }] });

describe('a request', () => {
  it('has two roles, results first, media as bytes and cache points', () => {
    const { body, path, warnings } = converse.encodeRequest(
      request(
        [
          { role: 'system', parts: [{ kind: 'text', text: 'Be brief.', cacheControl: { ttl: '1h' } }] },
          text('user', 'What is on it?'),
          { role: 'user', parts: [{ kind: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'AAAA' } }] },
          {
            role: 'assistant',
            parts: [
              { kind: 'reasoning', text: 'hm', signature: 'sig', origin: 'bedrock-converse' },
              { kind: 'reasoning', text: 'theirs', signature: 'x', origin: 'anthropic-messages' },
              { kind: 'tool-call', id: 'call:1', name: 'look', arguments: '{"a":1}' },
            ],
          },
          { role: 'tool', parts: [{ kind: 'tool-result', callId: 'call:1', content: [], isError: true }] },
          {
            role: 'user',
            parts: [
              {
                kind: 'file',
                name: 'my file.v2.pdf',
                source: { kind: 'data', mediaType: 'application/pdf', data: 'JVBE' },
              },
            ],
          },
        ],
        {
          tools: [
            {
              kind: 'function',
              name: 'look',
              parameters: { properties: { a: { type: 'number' } } },
              strict: true,
              cacheControl: {},
            },
          ],
          toolChoice: { kind: 'required' },
          sampling: { temperature: 0.5, topK: 5, stop: ['END'], seed: 3 },
          maxOutputTokens: 100,
        },
      ),
      target({ stream: true }),
    );
    expect(path).toBe('/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream');
    expect(body).toEqual({
      system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default', ttl: '1h' } }],
      messages: [
        {
          role: 'user',
          content: [{ text: 'What is on it?' }, { image: { format: 'png', source: { bytes: 'AAAA' } } }],
        },
        {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 'hm', signature: 'sig' } } },
            { toolUse: { toolUseId: 'call_1', name: 'look', input: { a: 1 } } },
          ],
        },
        {
          role: 'user',
          content: [
            { toolResult: { toolUseId: 'call_1', content: [{ text: '(no output)' }], status: 'error' } },
            { document: { format: 'pdf', name: 'my file v2 pdf 1', source: { bytes: 'JVBE' } } },
          ],
        },
      ],
      inferenceConfig: { maxTokens: 100, temperature: 0.5, stopSequences: ['END'] },
      additionalModelRequestFields: { top_k: 5 },
      toolConfig: {
        tools: [
          {
            toolSpec: {
              name: 'look',
              inputSchema: { json: { properties: { a: { type: 'number' } }, type: 'object' } },
              strict: true,
            },
          },
          { cachePoint: { type: 'default' } },
        ],
        toolChoice: { any: {} },
      },
    });
    expect(warnings).toEqual(["seed dropped: the provider's API has no such field"]);
  });

  it('asks for thinking as the maker of the model does', () => {
    const asked = (model: string, quirks = {}) =>
      converse.encodeRequest(
        request([text('user', 'Hi')], {
          reasoning: { effort: 'high' },
          maxOutputTokens: 4_000,
          sampling: { temperature: 0.3 },
        }),
        target({ model, quirks }),
      );
    expect(asked(CLAUDE).body).toMatchObject({
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 3_200 } },
      inferenceConfig: { maxTokens: 4_000 },
    });
    expect(asked(CLAUDE).warnings).toEqual(['temperature dropped: not compatible with thinking']);
    expect(asked('eu.anthropic.claude-opus-4-6', { adaptiveThinking: true }).body).toMatchObject({
      additionalModelRequestFields: { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    });
    expect(asked('openai.gpt-oss-120b-1:0').body).toMatchObject({
      additionalModelRequestFields: { reasoning_effort: 'high' },
    });
    expect(asked('us.amazon.nova-2-lite-v1:0').body).toMatchObject({
      additionalModelRequestFields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } },
    });
    expect(asked('us.deepseek.r1-v1:0').warnings).toContain(
      "reasoning dropped: the provider's API has no field for it",
    );
  });

  it('keeps a tool for calls of the past, and leaves tools away where none may be called', () => {
    const past: Message[] = [
      text('user', 'Hi'),
      { role: 'assistant', parts: [{ kind: 'tool-call', id: 'c', name: 'old', arguments: '' }] },
      { role: 'tool', parts: [{ kind: 'tool-result', callId: 'c', content: [{ kind: 'text', text: 'done' }] }] },
    ];
    expect(converse.encodeRequest(request(past), target()).body['toolConfig']).toEqual({
      tools: [{ toolSpec: { name: 'old', inputSchema: { json: { properties: {}, type: 'object' } } } }],
    });
    const none = request([text('user', 'Hi')], {
      tools: [{ kind: 'function', name: 'f' }],
      toolChoice: { kind: 'none' },
    });
    expect(converse.encodeRequest(none, target()).body['toolConfig']).toBeUndefined();
  });

  it('has a schema as text, and refuses what cannot be carried by name', () => {
    const schema = { type: 'object', properties: {} };
    const asked = request([text('user', 'Hi')], { output: { kind: 'json-schema', name: 'city', schema } });
    expect(converse.encodeRequest(asked, target()).body['outputConfig']).toEqual({
      textFormat: { type: 'json_schema', structure: { jsonSchema: { name: 'city', schema: JSON.stringify(schema) } } },
    });
    expect(() => converse.encodeRequest(asked, target({ capabilities: new Set() }))).toThrow(/response_format/);
    const picture = (mediaType: string) =>
      request([{ role: 'user', parts: [{ kind: 'image', source: { kind: 'data', mediaType, data: '' } }] }]);
    expect(() => converse.encodeRequest(picture('image/tiff'), target())).toThrow(/messages.0/);
    const sound: Message = { role: 'user', parts: [{ kind: 'audio', format: 'wav', data: '' }] };
    expect(() => converse.encodeRequest(request([sound]), target())).toThrow(/messages.0/);
  });
});

describe('an answer', () => {
  it('is read with its reasoning, its calls and every kind of token', () => {
    const response = converse.decodeResponse(
      {
        metrics: { latencyMs: 334 },
        output: {
          message: {
            role: 'assistant',
            content: [
              { reasoningContent: { reasoningText: { text: 'hm', signature: 'sig' } } },
              { reasoningContent: { redactedContent: 'cmVk' } },
              { text: 'Looking.' },
              { toolUse: { toolUseId: 't1', name: 'look', input: { a: 1 } } },
              { somethingNew: {} },
            ],
          },
        },
        stopReason: 'tool_use',
        serviceTier: { type: 'flex' },
        usage: {
          inputTokens: 5,
          outputTokens: 7,
          totalTokens: 42,
          cacheReadInputTokens: 10,
          cacheWriteInputTokens: 20,
          cacheDetails: [
            { ttl: '1h', inputTokens: 15 },
            { ttl: '5m', inputTokens: 5 },
          ],
        },
      },
      target(),
    );
    expect(response).toMatchObject({
      serviceTier: 'flex',
      choices: [
        {
          finish: { kind: 'tool-calls', raw: 'tool_use' },
          parts: [
            { kind: 'reasoning', text: 'hm', signature: 'sig', origin: 'bedrock-converse' },
            { kind: 'reasoning', encrypted: 'cmVk' },
            { kind: 'text', text: 'Looking.' },
            { kind: 'tool-call', id: 't1', name: 'look', arguments: '{"a":1}' },
          ],
        },
      ],
      usage: { buckets: { inputFresh: 5, cacheRead: 10, cacheWrite5m: 5, cacheWrite1h: 15, output: 7 } },
    });
    expect(isFailure(converse.decodeResponse({ message: 'odd' }, target()))).toBe(true);
  });

  const stream = (...events: [string, object][]) => {
    const fold = new EventFold();
    const decoder = openGuard(converse.openDecoder(target()));
    for (const [event, json] of events)
      decoder.push({ event, data: JSON.stringify(json), json } as SseFrame, (one) => fold.push(one));
    decoder.end((one) => fold.push(one));
    return fold;
  };
  const start: [string, object] = ['messageStart', { role: 'assistant', p: 'abc' }];
  const delta = (index: number, one: object): [string, object] => [
    'contentBlockDelta',
    { contentBlockIndex: index, delta: one, p: 'ab' },
  ];

  it('is the same as a stream, whose usage comes after its end', () => {
    const fold = stream(
      start,
      delta(0, { reasoningContent: { text: 'h' } }),
      delta(0, { reasoningContent: { text: 'm' } }),
      delta(0, { reasoningContent: { signature: 'sig' } }),
      ['contentBlockStop', { contentBlockIndex: 0 }],
      delta(1, { text: 'Look' }),
      delta(1, { text: 'ing.' }),
      ['contentBlockStop', { contentBlockIndex: 1 }],
      [
        'contentBlockStart',
        { contentBlockIndex: 2, start: { toolUse: { toolUseId: 't1', name: 'look', type: 'tool_use' } } },
      ],
      delta(2, { toolUse: { input: '' } }),
      ['contentBlockStop', { contentBlockIndex: 2 }],
      ['messageStop', { stopReason: 'tool_use' }],
      ['metadata', { metrics: {}, usage: { inputTokens: 5, outputTokens: 7, totalTokens: 12, serverToolUsage: {} } }],
    );
    expect(fold.failure).toBeUndefined();
    expect(fold.response()).toMatchObject({
      choices: [
        {
          finish: { kind: 'tool-calls' },
          parts: [
            { kind: 'reasoning', text: 'hm', signature: 'sig' },
            { kind: 'text', text: 'Looking.' },
            { kind: 'tool-call', id: 't1', arguments: '{}' },
          ],
        },
      ],
      usage: { buckets: { inputFresh: 5, output: 7 } },
    });
  });

  it('that breaks off is a failure of its own kind, and a lost report of usage is none', () => {
    const broken = stream(start, delta(0, { text: 'a' }), [
      'exception',
      { exception: 'throttlingException', error: { message: 'Too many' } },
    ]);
    expect(broken.failure).toMatchObject({ kind: 'rate-limited', code: 'throttlingException' });
    expect(stream(start, delta(0, { text: 'a' })).failure).toMatchObject({ kind: 'truncated' });
    expect(
      stream(start, delta(0, { text: 'a' }), ['messageStop', { stopReason: 'guardrail_intervened' }]).response()
        .choices[0]?.finish.kind,
    ).toBe('content-filter');
  });
});

describe('an error', () => {
  const typed = (type: string, message: string, status = 400) =>
    awsFailure(
      status,
      { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
      JSON.stringify({ message }),
    );

  it.each([
    ['ThrottlingException', 'Too many tokens, please wait before trying again.', 429, 'rate-limited'],
    ['ServiceQuotaExceededException', 'Quota', 400, 'rate-limited'],
    ['ModelNotReadyException', 'Not ready', 429, 'rate-limited'],
    ['ValidationException', 'messages.0: text is blank', 400, 'client-fault'],
    ['ValidationException', 'The provided model identifier is invalid.', 400, 'model-gone'],
    ['ValidationException', 'Input is too long for requested model.', 400, 'context-too-long'],
    ['AccessDeniedException', "You don't have access to the model with the specified model ID.", 403, 'model-gone'],
    ['AccessDeniedException', 'User is not authorized to perform: bedrock:InvokeModel', 403, 'credential'],
    ['UnrecognizedClientException', 'The security token included in the request is invalid.', 403, 'credential'],
    ['ExpiredTokenException', 'The security token included in the request is expired', 403, 'credential'],
    ['ResourceNotFoundException', 'gone', 404, 'model-gone'],
    ['ModelTimeoutException', 'slow', 408, 'timeout'],
    ['ModelErrorException', 'odd', 424, 'server'],
    ['InternalServerException', 'odd', 500, 'server'],
    ['ServiceUnavailableException', 'odd', 503, 'server'],
    ['SomethingNew', 'odd', 400, 'client-fault'],
  ])('%s (%s) is what it is', (type, message, status, kind) => {
    expect(typed(type, message, status)).toMatchObject({ kind, status });
  });

  it('about the time of the signature says that the clock is wrong', () => {
    const told = typed(
      'InvalidSignatureException',
      'Signature expired: 20261118T090000Z is now earlier than 20261118T091000Z (20261118T091500Z - 5 min.)',
      403,
    );
    expect(told).toMatchObject({ kind: 'credential', code: 'clock_skew' });
    expect(told.message).toMatch(/^The clock of this machine is wrong/);
    expect(typed('ValidationException', 'prompt is too long: 201 tokens > 200 maximum')).toMatchObject({
      tooLong: { tokens: 201, maximum: 200 },
    });
  });
});
