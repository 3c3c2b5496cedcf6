import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ChatResponse } from '../../src/core/chat.ts';
import type { ChatEvent } from '../../src/core/events.ts';
import { EventFold, unfoldResponse } from '../../src/protocols/index.ts';
import { chatResponse } from './arbitraries.ts';
import { foldEvents } from './streams.ts';

describe('fold and unfold', () => {
  test('folding an unfolded answer gives it back', () => {
    const answers = chatResponse({ choices: 3, reasoning: { signed: 'anthropic-messages' }, toolSignatures: true });
    fc.assert(
      fc.property(answers, (answer) => {
        expect(foldEvents(unfoldResponse(answer))).toEqual(answer);
      }),
    );
  });

  test('parts that events must name with care survive: audio, image, refusal, citations, logprobs, extras', () => {
    const answer: ChatResponse = {
      id: 'a',
      choices: [
        {
          index: 0,
          finish: { kind: 'stop', raw: 'stop' },
          logprobs: { content: [{ token: 'x' }], refusal: null },
          parts: [
            { kind: 'reasoning', text: '', encrypted: 'opaque', id: 'rs_1', origin: 'openai-responses' },
            { kind: 'reasoning', text: 'short', summary: true },
            {
              kind: 'text',
              text: 'سلام',
              citations: [{ url: 'https://a.example', start: 0, end: 2 }],
              extras: { 'openai-chat': { a: 1 } },
            },
            { kind: 'refusal', text: 'no' },
            { kind: 'audio', format: 'wav', data: 'AAAA', transcript: 'hi', id: 'audio_1' },
            { kind: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'AAAA' } },
            { kind: 'tool-call', id: 'c1', name: 'f', arguments: '', namespace: 'n', custom: true, signature: 's' },
          ],
        },
      ],
      usage: { source: 'upstream', buckets: { output: 1 }, raw: { completion_tokens: 1 } },
      extras: { 'openai-chat': { system_fingerprint: 'fp' } },
    };
    expect(foldEvents(unfoldResponse(answer))).toEqual(answer);
  });

  test('an answer that was cut can be read as far as it came', () => {
    const fold = new EventFold();
    const cut: ChatEvent[] = [
      { type: 'response-start' },
      { type: 'part-start', part: 0, choice: 0, kind: 'text' },
      { type: 'part-delta', part: 0, text: 'half an ' },
      { type: 'part-delta', part: 0, text: 'answer', logprobs: { content: [1] } },
      { type: 'part-delta', part: 0, text: '', logprobs: { content: [2] } },
      { type: 'failure', failure: { kind: 'truncated', message: 'cut' } },
    ];
    for (const event of cut) fold.push(event);
    expect(fold.complete).toBe(false);
    expect(fold.failure?.kind).toBe('truncated');
    expect(fold.response().choices).toEqual([
      {
        index: 0,
        parts: [{ kind: 'text', text: 'half an answer' }],
        finish: { kind: 'stop' },
        logprobs: { content: [1, 2] },
      },
    ]);
  });

  test('usage reports are joined, the newer value of a bucket winning', () => {
    const fold = new EventFold();
    fold.push({ type: 'usage-update', usage: { source: 'upstream', buckets: { inputFresh: 9, output: 1 } } });
    fold.push({ type: 'usage-update', usage: { source: 'upstream', buckets: { output: 7 } } });
    expect(fold.response().usage?.buckets).toEqual({ inputFresh: 9, output: 7 });
  });
});
