import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepableMessage, WITHHELD } from '../../src/gateway/attempt/keepable-message.ts';

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const PROMPT = 'please tell me about my illness\nand its cure';
const SENT = bytes({ model: 'm', max_completion_tokens: 5, messages: [{ role: 'user', content: PROMPT }] });

describe('what a provider said about a failure', () => {
  it('is kept', () => {
    for (const kept of [
      "Unsupported parameter: 'max_completion_tokens'",
      'You exceeded your current quota',
      'سهمیه تمام شد',
    ])
      expect(keepableMessage(kept, SENT, ['sk-1'])).toBe(kept);
  });

  it('loses our credential', () => {
    expect(keepableMessage('key sk-abc is wrong', SENT, ['sk-abc', ''])).toBe('key … is wrong');
  });

  it('is withheld when it quotes the request, however the client wrote it', () => {
    const kept = `rejected: ${PROMPT}`;
    expect(keepableMessage(kept, SENT, [])).toBe(WITHHELD);
    const persian = 'این یک متن کاملاً خصوصی است';
    const escaped = JSON.stringify({ content: persian }).replace(
      /[\u0080-\uffff]/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    expect(keepableMessage(`نپذیرفت: ${persian}`, Buffer.from(escaped), [])).toBe(WITHHELD);
  });

  it('never keeps a quotation of twenty characters of prose', () => {
    const prose = fc.string({ unit: fc.constantFrom(...'abc ا1"\\\n'), minLength: 20, maxLength: 60 });
    fc.assert(
      fc.property(prose, fc.string({ maxLength: 30 }), (text, before) => {
        // A run of letters alone may be the name of a field.
        fc.pre([...Array(text.length - 9).keys()].every((at) => !/^[A-Za-z_.'"[\]]*$/.test(text.slice(at, at + 10))));
        expect(keepableMessage(before + text, bytes({ content: text }), [])).toBe(WITHHELD);
      }),
    );
  });

  it('is withheld when the request is too large to be searched', () => {
    expect(keepableMessage('no', Buffer.alloc(5 * 1024 * 1024), [])).toBe(WITHHELD);
  });
});
