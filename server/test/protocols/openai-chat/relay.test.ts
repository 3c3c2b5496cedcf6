/** Whatever a provider's stream looks like, the relayed one keeps the contract and loses no field. */
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../../src/core/errors.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { isFailure, openaiChatRelay, openaiChatUpstream } from '../../../src/protocols/index.ts';
import { bytesOf, decodeFrames, decodeText, foldEvents, framesOf } from '../streams.ts';
import { closing, closingUsage, fixture, payloads, silentView, target, view } from './fixtures.ts';

function relayText(text: string, seen = view()): string {
  const relay = openaiChatRelay.openRelay(seen);
  const forwarded = framesOf([bytesOf(text)]).map((frame) => relay.forward(frame));
  return forwarded.join('') + relay.finish(closing);
}

const relayed = (name: string, seen = view()) => payloads(relayText(fixture(name), seen));
const choicesOf = (chunk: JsonObject | '[DONE]'): JsonObject[] =>
  chunk === '[DONE]' ? [] : (chunk['choices'] as JsonObject[]);

const COMPLETE = [
  'regular',
  'first-chunk-empty',
  'usage-in-finish-chunk',
  'usage-in-every-chunk',
  'usage-never',
  'usage-in-x-groq',
  'usage-in-choice',
  'duplicate-finish',
  'finish-with-content',
  'finish-reason-empty',
  'no-done',
  'no-role-chunk',
  'crlf-and-multi-line',
  'message-beside-delta',
  'message-alone',
  'reasoning-content',
  'reasoning',
  'reasoning-details',
  'content-list',
  'two-choices',
  'refusal',
  'logprobs',
  'annotations',
  'audio',
  'images',
  'tools-regular',
  'tools-with-role',
  'tools-name-late',
  'tools-without-id',
  'tools-same-id',
  'tools-same-index',
  'tools-without-index',
  'tools-bare',
  'tools-whole-objects',
  'tools-id-repeated',
  'tools-interleaved',
  'tools-finish-stop',
  'tools-in-finish-chunk',
  'tools-signed',
];

describe('the contract holds for every habit', () => {
  test.each(COMPLETE)('%s', (name) => {
    const chunks = relayed(name);
    expect(chunks.at(-1)).toBe('[DONE]');
    expect(chunks.at(-2)).toMatchObject({ choices: [], usage: closingUsage });
    expect(chunks.filter((chunk) => chunk !== '[DONE]' && 'usage' in chunk)).toHaveLength(1);
    for (const chunk of chunks) {
      if (chunk === '[DONE]') continue;
      expect(chunk).toMatchObject({
        id: 'chatcmpl-ours',
        object: 'chat.completion.chunk',
        model: 'vendor/model',
        created: 1_700_000_000,
      });
    }
    const seen = chunks.flatMap(choicesOf);
    for (const index of new Set(seen.map((choice) => choice['index']))) {
      const own = seen.filter((choice) => choice['index'] === index);
      expect(own[0]?.['delta']).toEqual({ role: 'assistant', content: '', refusal: null });
      expect(own.filter((choice) => choice['finish_reason'] !== null)).toEqual([own.at(-1)]);
      expect(own.at(-1)?.['delta']).toEqual({});
      expect(['stop', 'length', 'tool_calls', 'content_filter']).toContain(own.at(-1)?.['finish_reason']);
      for (const { delta } of own as { delta: JsonObject }[])
        expect(['string', 'undefined']).toContain(typeof delta['content']);
    }
  });

  test.each(COMPLETE)('%s: what the client reads is what we metered', (name) => {
    const direct = foldEvents(decodeText(openaiChatUpstream.openDecoder(target()), fixture(name)));
    const again = foldEvents(decodeText(openaiChatUpstream.openDecoder(target()), relayText(fixture(name))));
    if (isFailure(direct) || isFailure(again)) throw new Error('a complete stream failed');
    const withoutIds = (text: string): string => text.replaceAll('call_chatcmpl-ours_', 'call_chatcmpl-1_');
    const kinds = (choices: typeof direct.choices) =>
      choices.map(({ finish, ...rest }) => ({ ...rest, finish: finish.kind }));
    expect(withoutIds(JSON.stringify(kinds(again.choices)))).toBe(JSON.stringify(kinds(direct.choices)));
  });

  test('usage is hidden from those who did not ask', () => {
    for (const name of [
      'regular',
      'usage-in-finish-chunk',
      'usage-in-every-chunk',
      'usage-in-x-groq',
      'usage-in-choice',
    ]) {
      expect(JSON.stringify(relayed(name, silentView())), name).not.toContain('"usage"');
    }
  });

  test('tool deltas are regular: named once with an id, then only grown', () => {
    for (const name of COMPLETE.filter((one) => one.startsWith('tools-'))) {
      const named = new Set<number>();
      for (const choice of relayed(name).flatMap(choicesOf)) {
        const calls = ((choice['delta'] as JsonObject)['tool_calls'] ?? []) as JsonObject[];
        for (const call of calls) {
          const index = call['index'] as number;
          expect(call, name).toMatchObject(
            named.has(index)
              ? {}
              : { id: expect.stringMatching(/./), type: 'function', function: { name: expect.stringMatching(/./) } },
          );
          if (named.has(index)) expect(call['id'], name).toBeUndefined();
          named.add(index);
        }
      }
      expect([...named], name).toEqual([0, 1]);
    }
  });

  test('a call without arguments gets {}', () => {
    const calls = relayed('tools-no-arguments')
      .flatMap(choicesOf)
      .map(({ delta }) => delta);
    expect(calls).toContainEqual({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] });
  });

  test('the legacy protocol is left to its speakers', () => {
    const choices = relayed('function-call-legacy').flatMap(choicesOf);
    expect(choices).toContainEqual(
      expect.objectContaining({ delta: { function_call: { name: 'weather', arguments: '' } } }),
    );
    expect(choices.at(-1)?.['finish_reason']).toBe('function_call');
  });
});

describe('what passes', () => {
  test('no empty legacy call beside text', () => {
    const empty = { name: '', arguments: '' };
    const chunk = (delta: JsonObject, finish: string | null = null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const stream =
      chunk({ role: 'assistant', content: 'so', function_call: empty }) +
      chunk({ function_call: { name: null, arguments: null } }) +
      chunk({ content: '', function_call: empty }, 'stop');
    const choices = payloads(relayText(stream)).flatMap(choicesOf);
    expect(choices.map(({ delta }) => delta)).toEqual([
      { role: 'assistant', content: '', refusal: null },
      { content: 'so' },
      {},
    ]);
    expect(choices.at(-1)?.['finish_reason']).toBe('stop');
  });

  test('unknown fields of chunk, choice, delta and tool call', () => {
    const chunk = {
      id: 'x',
      choices: [
        {
          index: 0,
          delta: {
            content: 'a',
            novelty: 1,
            tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '' }, extra: 2 }],
          },
          verdict: 'safe',
          finish_reason: null,
        },
      ],
      system_fingerprint: 'fp',
      service_tier: 'default',
    };
    const [, second] = payloads(relayText(`data: ${JSON.stringify(chunk)}\n\n`));
    expect(second).toMatchObject({
      system_fingerprint: 'fp',
      service_tier: 'default',
      choices: [{ verdict: 'safe', delta: { content: 'a', novelty: 1, tool_calls: [{ extra: 2 }] } }],
    });
  });

  test('a fingerprint that is null is left out: strict readers of chunks take a text or nothing', () => {
    const chunk = (delta: JsonObject) =>
      `data: ${JSON.stringify({ choices: [{ delta }], system_fingerprint: null })}\n\n`;
    for (const sent of payloads(relayText(chunk({ role: 'assistant' }) + chunk({ content: 'a' })))) {
      if (sent !== '[DONE]') expect(sent).not.toHaveProperty('system_fingerprint');
    }
  });

  test('fields of the first chunk, which holds a role alone, are not replaced by those of the next', () => {
    const chunk = (delta: JsonObject, at: number) =>
      `data: ${JSON.stringify({ choices: [{ delta }], sla_metrics: { at } })}\n\n`;
    const sent = payloads(relayText(chunk({ role: 'assistant', content: '' }, 1) + chunk({ content: 'a' }, 2)));
    expect(sent[0]).toMatchObject({ choices: [{ delta: { role: 'assistant' } }], sla_metrics: { at: 1 } });
    expect(sent[1]).toMatchObject({ choices: [{ delta: { content: 'a' } }], sla_metrics: { at: 2 } });
  });

  test('reasoning keeps the name its provider gave it', () => {
    const fields = (name: string) =>
      relayed(name)
        .flatMap(choicesOf)
        .flatMap(({ delta }) => Object.keys(delta as JsonObject));
    expect(fields('reasoning')).toContain('reasoning');
    expect(fields('reasoning-content')).toContain('reasoning_content');
    expect(fields('reasoning-details')).toContain('reasoning_details');
  });

  test('the frame itself is not changed: the decoder reads it too', () => {
    const frames = framesOf([bytesOf(fixture('tools-regular'))]);
    const before = decodeFrames(openaiChatUpstream.openDecoder(target()), frames);
    const relay = openaiChatRelay.openRelay(view());
    for (const frame of frames) relay.forward(frame);
    expect(decodeFrames(openaiChatUpstream.openDecoder(target()), frames)).toEqual(before);
  });

  test('errors and noise do not pass; the failure is ours to tell', () => {
    for (const name of [
      'error-object',
      'error-event',
      'error-event-text',
      'error-in-choice',
      'error-first',
      'not-json',
    ]) {
      const relay = openaiChatRelay.openRelay(view());
      const text = framesOf([bytesOf(fixture(name))])
        .map((frame) => relay.forward(frame))
        .join('');
      expect(text, name).not.toMatch(/error|html|\[DONE\]/);
      expect(relay.fail(new GatewayError('upstream_error'))).toContain('"code":"upstream_error"');
    }
  });
});

describe('whole answers', () => {
  const patch = (body: JsonObject) => openaiChatRelay.patchResponse(body, view(), closing);

  test('ours: id, model, time and usage; all else survives', () => {
    const body = {
      id: 'theirs',
      model: 'theirs',
      provider: 'P',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'a', novelty: 1 }, finish_reason: 'eos', verdict: 2 },
      ],
      usage: { prompt_tokens: 1, cost: 99 },
    };
    expect(patch(body)).toEqual({
      id: 'chatcmpl-ours',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'vendor/model',
      system_fingerprint: null,
      provider: 'P',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'a', refusal: null, novelty: 1 },
          logprobs: null,
          finish_reason: 'stop',
          verdict: 2,
        },
      ],
      usage: closingUsage,
    });
  });

  test('a legacy call passes, an empty one beside text does not', () => {
    const messageOf = (call: JsonObject, content: string | null) => {
      const [choice] = choicesOf(patch({ choices: [{ message: { content, function_call: call } }] }));
      return choice?.['message'];
    };
    const regular = { role: 'assistant', refusal: null };
    expect(messageOf({ name: '', arguments: '' }, 'so')).toEqual({ ...regular, content: 'so' });
    expect(messageOf({}, null)).toEqual({ ...regular, content: '' });
    const call = { name: 'f', arguments: '' };
    expect(messageOf(call, null)).toEqual({ ...regular, content: null, function_call: call });
  });

  test('irregular messages are put right', () => {
    const message = {
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
        { type: 'text', text: 'so' },
      ],
      tool_calls: [
        { function: { name: 'f', arguments: { a: 1 } } },
        { id: 'c', function: { name: 'g', arguments: '' } },
      ],
    };
    expect(patch({ choices: [{ message, finish_reason: 'stop' }] })['choices']).toEqual([
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'so',
          refusal: null,
          reasoning_content: 'hm',
          reasoning_details: [{ type: 'reasoning.text', text: 'hm', index: 0 }],
          tool_calls: [
            { id: 'call_chatcmpl-ours_0_0', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
            { id: 'c', type: 'function', function: { name: 'g', arguments: '{}' } },
          ],
        },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    ]);
  });
});
