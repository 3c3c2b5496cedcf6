import { describe, expect, it } from 'vitest';
import { call, encode, hello, refusal, request, result, target, user } from './fixtures.ts';

const SKIP = btoa('skip_thought_signature_validator');

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
