import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/core/errors.ts';
import { call, encode, generation, hello, request, result, target, user } from './fixtures.ts';

const weather = { kind: 'function' as const, name: 'weather', description: 'Weather of a city' };
const clock = { kind: 'function' as const, name: 'clock' };
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const SKIP = btoa('skip_thought_signature_validator');

function refusal(run: () => unknown): GatewayError {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('where a request goes', () => {
  it('names the model and the verb in the path', () => {
    expect(encode(request([hello]), target('gemini-2.5-pro')).path).toBe('/models/gemini-2.5-pro:generateContent');
    expect(encode(request([hello]), target('gemini-2.5-pro', { stream: true })).path).toBe(
      '/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
    );
    expect(encode(request([hello]), target('tunedModels/mine')).path).toBe('/tunedModels/mine:generateContent');
    expect(encode(request([hello]), target('a?b')).path).toBe('/models/a%3Fb:generateContent');
  });
});

describe('the conversation', () => {
  it('knows two roles, puts leading system text apart and joins neighbours', () => {
    const { body, warnings } = encode(
      request([
        { role: 'system', parts: [{ kind: 'text', text: 'Be brief.' }] },
        { role: 'developer', parts: [{ kind: 'text', text: 'Speak Persian.' }] },
        hello,
        user({ kind: 'text', text: 'again' }),
        { role: 'assistant', parts: [{ kind: 'text', text: 'hi' }] },
        { role: 'user', parts: [{ kind: 'text', text: '' }] },
        user({ kind: 'text', text: 'bye' }),
      ]),
    );
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'Speak Persian.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'hello' }, { text: 'again' }] },
        { role: 'model', parts: [{ text: 'hi' }] },
        { role: 'user', parts: [{ text: 'bye' }] },
      ],
    });
    expect(warnings).toEqual([]);
  });

  it('sends a later system message as user text and says so', () => {
    const { body, warnings } = encode(request([hello, { role: 'system', parts: [{ kind: 'text', text: 'Stop.' }] }]));
    expect(body['contents']).toEqual([{ role: 'user', parts: [{ text: 'hello' }, { text: 'Stop.' }] }]);
    expect(warnings.join()).toContain('system role');
  });

  it('asks a lone system text as the question, since a request needs a turn', () => {
    const { body } = encode(request([{ role: 'system', parts: [{ kind: 'text', text: 'Tell a joke.' }] }]));
    expect(body).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Tell a joke.' }] }] });
  });

  it('replays its own signed thoughts and text, and nobody else’s', () => {
    const { body } = encode(
      request([
        hello,
        {
          role: 'assistant',
          parts: [
            { kind: 'reasoning', text: 'hm', signature: 'c2ln', origin: 'gemini-generate' },
            { kind: 'reasoning', text: 'foreign', signature: 'x', origin: 'anthropic-messages' },
            { kind: 'reasoning', text: 'unsigned' },
            { kind: 'text', text: 'hi', extras: { 'gemini-generate': { thoughtSignature: 'dHh0' } } },
            { kind: 'refusal', text: 'no' },
          ],
        },
      ]),
    );
    expect(body['contents']).toEqual([
      { role: 'user', parts: [{ text: 'hello' }] },
      {
        role: 'model',
        parts: [
          { text: 'hm', thought: true, thoughtSignature: 'c2ln' },
          { text: 'hi', thoughtSignature: 'dHh0' },
          { text: 'no' },
        ],
      },
    ]);
  });
});

describe('calls and results in the history', () => {
  const history = [
    hello,
    { role: 'assistant' as const, parts: [call('a', 'weather', '{"city":"Yazd"}', 'U0lH'), call('b', 'clock', '')] },
    { role: 'tool' as const, parts: [result('b', '12:00')] },
    { role: 'tool' as const, parts: [result('a', 'broken', { isError: true })] },
    user({ kind: 'text', text: 'and now?' }),
  ];

  it('names the function of every result, in one turn right after the calls', () => {
    expect(encode(request(history)).body['contents']).toEqual([
      { role: 'user', parts: [{ text: 'hello' }] },
      {
        role: 'model',
        parts: [
          { functionCall: { id: 'a', name: 'weather', args: { city: 'Yazd' } }, thoughtSignature: 'U0lH' },
          { functionCall: { id: 'b', name: 'clock', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'b', name: 'clock', response: { output: '12:00' } } },
          { functionResponse: { id: 'a', name: 'weather', response: { error: 'broken' } } },
        ],
      },
      { role: 'user', parts: [{ text: 'and now?' }] },
    ]);
  });

  it('stands in for the missing signature of another model’s call, on the first call and for new models only', () => {
    const foreign = [hello, { role: 'assistant' as const, parts: [call('a', 'weather'), call('b', 'clock')] }];
    const turn = (model: string) => (encode(request(foreign), target(model)).body['contents'] as unknown[])[1];
    const first = { id: 'a', name: 'weather', args: {} };
    const second = { id: 'b', name: 'clock', args: {} };
    expect(turn('gemini-3-flash-preview')).toEqual({
      role: 'model',
      parts: [{ functionCall: first, thoughtSignature: SKIP }, { functionCall: second }],
    });
    expect(turn('gemini-2.5-flash')).toEqual({
      role: 'model',
      parts: [{ functionCall: first }, { functionCall: second }],
    });
  });

  it('shows arguments that are no object to the model as they were', () => {
    const bad = [hello, { role: 'assistant' as const, parts: [call('a', 'f', '{"cut'), call('b', 'f', '[1]')] }];
    const parts = (encode(request(bad)).body['contents'] as { parts: { functionCall: { args: unknown } }[] }[])[1]
      ?.parts;
    expect(parts?.map((part) => part.functionCall.args)).toEqual([{ input: '{"cut' }, { input: [1] }]);
  });

  it('refuses a result of no known call by name', () => {
    const error = refusal(() => encode(request([hello, { role: 'tool', parts: [result('zz', 'x')] }])));
    expect(error.code).toBe('invalid_request');
    expect(error.options.param).toBe('messages.1.content');
    expect(error.text('en')).toContain('zz');
  });

  it('puts images of a result inside it where the model can read them there, beside it elsewhere', () => {
    const picture = { kind: 'image' as const, source: { kind: 'data' as const, mediaType: 'image/png', data: 'QQ==' } };
    const seen = [
      hello,
      { role: 'assistant' as const, parts: [call('a', 'look')] },
      { role: 'tool' as const, parts: [{ kind: 'tool-result' as const, callId: 'a', content: [picture] }] },
    ];
    const last = (model: string) => (encode(request(seen), target(model)).body['contents'] as unknown[])[2];
    const inline = { inlineData: { mimeType: 'image/png', data: 'QQ==' } };
    const functionResponse = { id: 'a', name: 'look', response: { output: '' } };
    expect(last('gemini-3-pro-preview')).toEqual({
      role: 'user',
      parts: [{ functionResponse: { ...functionResponse, parts: [inline] } }],
    });
    expect(last('gemini-2.5-flash')).toEqual({
      role: 'user',
      parts: [{ functionResponse }, { text: 'Files returned by look:' }, inline],
    });
  });
});

describe('media', () => {
  const one = (part: Parameters<typeof user>[0]) =>
    (encode(request([user(part)])).body['contents'] as { parts: unknown[] }[])[0]?.parts[0];

  it('sends bytes inline and what Google hosts by address', () => {
    expect(one({ kind: 'image', source: { kind: 'data', mediaType: 'image/jpeg', data: 'QQ==' } })).toEqual({
      inlineData: { mimeType: 'image/jpeg', data: 'QQ==' },
    });
    expect(one({ kind: 'audio', format: 'wav', data: 'QQ==' })).toEqual({
      inlineData: { mimeType: 'audio/wav', data: 'QQ==' },
    });
    expect(one({ kind: 'image', source: { kind: 'url', url: 'data:image/png;base64,QQ==' } })).toEqual({
      inlineData: { mimeType: 'image/png', data: 'QQ==' },
    });
    expect(one({ kind: 'file', source: { kind: 'text', text: 'plain' } })).toEqual({ text: 'plain' });
    expect(one({ kind: 'file', source: { kind: 'url', url: 'https://youtu.be/x' }, mediaType: 'video/mp4' })).toEqual({
      fileData: { mimeType: 'video/mp4', fileUri: 'https://youtu.be/x' },
    });
    expect(one({ kind: 'file', source: { kind: 'url', url: 'gs://bucket/a.pdf' } })).toEqual({
      fileData: { mimeType: 'application/pdf', fileUri: 'gs://bucket/a.pdf' },
    });
    expect(one({ kind: 'file', source: { kind: 'file-id', id: 'files/abc' } })).toEqual({
      fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc' },
    });
  });

  it('refuses a foreign address that nobody fetched, and a file of another provider', () => {
    const url = () => encode(request([user({ kind: 'image', source: { kind: 'url', url: 'https://e.org/a.png' } })]));
    expect(refusal(url).options.param).toBe('messages.0.content');
    const id = () => encode(request([user({ kind: 'file', source: { kind: 'file-id', id: 'file-123' } })]));
    expect(refusal(id).code).toBe('invalid_request');
    // An address that only begins like Google's is not Google's.
    const fake = () =>
      encode(request([user({ kind: 'image', source: { kind: 'url', url: 'https://youtu.be.evil.org/a' } })]));
    expect(refusal(fake).code).toBe('invalid_request');
  });
});

describe('tools', () => {
  const fields = (changes: Parameters<typeof request>[1]) => {
    const { tools, toolConfig } = encode(request([hello], changes)).body;
    return { tools, toolConfig };
  };

  it('declares functions, without parameters where there are none', () => {
    const empty = { type: 'object', properties: {}, additionalProperties: false };
    expect(
      fields({
        tools: [
          { ...weather, parameters: city },
          { ...clock, parameters: empty },
        ],
      }).tools,
    ).toEqual([
      {
        functionDeclarations: [
          {
            name: 'weather',
            description: 'Weather of a city',
            parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] },
          },
          { name: 'clock', description: '' },
        ],
      },
    ]);
  });

  it('sends a recursive schema whole in the newer field', () => {
    const tree = {
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
      $ref: '#/$defs/node',
    };
    const tools = fields({ tools: [{ ...clock, parameters: tree }] }).tools;
    expect(tools).toEqual([{ functionDeclarations: [{ name: 'clock', description: '', parametersJsonSchema: tree }] }]);
  });

  it('translates every choice of tools', () => {
    const config = (toolChoice: NonNullable<Parameters<typeof request>[1]>['toolChoice']) =>
      fields({ tools: [weather, clock], ...(toolChoice && { toolChoice }) }).toolConfig;
    expect(config(undefined)).toBeUndefined();
    expect(config({ kind: 'auto' })).toEqual({ functionCallingConfig: { mode: 'AUTO' } });
    expect(config({ kind: 'none' })).toEqual({ functionCallingConfig: { mode: 'NONE' } });
    expect(config({ kind: 'required' })).toEqual({ functionCallingConfig: { mode: 'ANY' } });
    const forced = { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['clock'] } };
    expect(config({ kind: 'tool', name: 'clock' })).toEqual(forced);
    expect(config({ kind: 'allowed', mode: 'required', names: ['clock'] })).toEqual(forced);
  });

  it('offers only the allowed tools when the model may also talk', () => {
    const { tools, toolConfig } = fields({
      tools: [weather, clock],
      toolChoice: { kind: 'allowed', mode: 'auto', names: ['clock'] },
    });
    expect(tools).toEqual([{ functionDeclarations: [{ name: 'clock', description: '' }] }]);
    expect(toolConfig).toEqual({ functionCallingConfig: { mode: 'AUTO' } });
  });

  it('refuses free-text tools, and says what it drops', () => {
    expect(refusal(() => fields({ tools: [{ kind: 'custom', name: 'patch' }] })).options.param).toBe('tools.0');
    const { warnings } = encode(
      request([hello], { tools: [{ ...clock, strict: true }], parallelToolCalls: false, user: 'u1' }),
    );
    expect(warnings.map((warning) => warning.split(' ')[0])).toEqual(['user', 'parallel_tool_calls', 'tools.strict']);
  });
});

describe('generationConfig', () => {
  it('carries sampling, limits and the form of the answer', () => {
    const sampling = {
      temperature: 0.5,
      topP: 0.9,
      topK: 20,
      seed: 7,
      stop: ['END'],
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      count: 2,
      logprobs: true,
      topLogprobs: 3,
    };
    expect(generation({ sampling }, target('gemini-2.5-flash', { maxOutputTokens: 100 }))).toEqual({
      temperature: 0.5,
      topP: 0.9,
      topK: 20,
      seed: 7,
      stopSequences: ['END'],
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      candidateCount: 2,
      responseLogprobs: true,
      logprobs: 3,
      maxOutputTokens: 100,
    });
    expect(generation({ sampling: { count: 1, stop: [], logprobs: false } })).toBeUndefined();
  });

  it('asks for JSON, by plain schema or by the subset for models from before it', () => {
    expect(generation({ output: { kind: 'json' } })).toEqual({ responseMimeType: 'application/json' });
    const output = { kind: 'json-schema' as const, name: 'x', schema: { ...city, additionalProperties: false } };
    expect(generation({ output })).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: output.schema,
    });
    expect(generation({ output }, target('gemini-2.0-flash'))).toEqual({
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] },
    });
  });

  it('drops what the target refuses, with a warning each', () => {
    const to = target('gemini-2.5-flash', { quirks: { rejectsSampling: true, dropFields: ['seed'] } });
    const given = request([hello], { sampling: { temperature: 1, seed: 3, topP: 1, logitBias: { 5: 1 } } });
    const { body, warnings } = encode(given, to);
    expect(body['generationConfig']).toBeUndefined();
    expect(warnings.map((warning) => warning.split(' ')[0])).toEqual(['temperature', 'top_p', 'seed', 'logit_bias']);
  });
});

describe('foreign fields', () => {
  it('keeps its own, names the others', () => {
    const { body, warnings } = encode(
      request([hello], {
        extras: { 'gemini-generate': { safetySettings: [] }, 'openai-chat': { service_tier: 'flex' } },
      }),
    );
    expect(body['safetySettings']).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('service_tier');
  });
});
