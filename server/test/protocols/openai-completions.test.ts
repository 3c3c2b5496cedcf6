import { describe, expect, it } from 'vitest';
import { CompletionFrames, completionOf } from '../../src/protocols/openai-completions/client/completion.ts';

const frame = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const probability = (token: string) => ({
  token,
  logprob: -0.5,
  bytes: null,
  top_logprobs: [{ token, logprob: -0.5 }],
});

describe('a chat answer as a completion', () => {
  it('keeps text, probabilities and everything beside them', () => {
    const chat = {
      id: 'cmpl-1',
      object: 'chat.completion',
      svc: { cost: 1 },
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'ab c' },
          logprobs: { content: [probability('ab'), probability(' c')] },
          finish_reason: 'length',
        },
        { index: 1, message: { role: 'assistant', content: null, refusal: 'no' }, finish_reason: 'stop' },
      ],
    };
    expect(completionOf(chat)).toEqual({
      id: 'cmpl-1',
      object: 'text_completion',
      svc: { cost: 1 },
      choices: [
        {
          text: 'ab c',
          index: 0,
          logprobs: {
            tokens: ['ab', ' c'],
            token_logprobs: [-0.5, -0.5],
            top_logprobs: [{ ab: -0.5 }, { ' c': -0.5 }],
            text_offset: [0, 2],
          },
          finish_reason: 'length',
        },
        { text: 'no', index: 1, logprobs: null, finish_reason: 'stop' },
      ],
    });
  });

  it('streams what is text and nothing else', () => {
    const frames = new CompletionFrames();
    const chunk = (delta: object, more: object = {}) =>
      frame({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null, ...more }] });
    expect(frames.convert(chunk({ role: 'assistant', content: '' }) + chunk({ reasoning_content: 'hm' }))).toBe('');
    const first = frames.convert(chunk({ content: 'ab' }, { logprobs: { content: [probability('ab')] } }));
    const second = frames.convert(chunk({ content: 'c' }, { logprobs: { content: [probability('c')] } }));
    expect(first).toContain('"text":"ab"');
    expect(first).toContain('"text_offset":[0]');
    expect(second).toContain('"text_offset":[2]');
    expect(frames.convert(chunk({}, { finish_reason: 'stop' }))).toContain('"finish_reason":"stop"');
    expect(frames.convert(': keep-alive\n\n')).toBe(': keep-alive\n\n');
    expect(frames.convert('data: [DONE]\n\n')).toBe('data: [DONE]\n\n');
    expect(frames.convert(frame({ error: { message: 'm' } }))).toBe(frame({ error: { message: 'm' } }));
  });
});
