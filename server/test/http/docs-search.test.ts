/** The search of guide and reference: what people write, in both languages, and what strangers write. */
import * as account from '@dargah/api/public/account.ts';
import * as chat from '@dargah/api/public/chat.ts';
import * as audio from '@dargah/api/public/embeddings-audio.ts';
import * as knowledge from '@dargah/api/public/knowledge.ts';
import type { Language } from '@dargah/core/text.ts';
import { describe, expect, it } from 'vitest';
import { DocsSearch, docsQuestion } from '../../src/http/pages/texts/docs-search.ts';
import { endpointSamples } from '../../src/http/pages/texts/endpoint-samples.ts';

const endpoints = [account, chat, audio, knowledge].flatMap((part) => Object.values(part));
let built = 0;
const search = new DocsSearch(() => {
  built += 1;
  return endpoints;
});

function page(question: string, language: Language = 'fa'): string {
  const visit = {
    language,
    path: '/docs/search',
    query: new URLSearchParams(),
    origin: 'https://gate.example',
    theme: undefined,
    languageIn: 'path' as const,
    signedIn: false,
  };
  return search.page(visit, docsQuestion(new URLSearchParams({ q: question }))).content.text;
}

function hits(question: string, language?: Language): string[] {
  return [...page(question, language).matchAll(/<li><a href="([^"]+)"/g)].map(([, address = '']) => address);
}

describe('the search of guide and reference', () => {
  it.each([
    ['insufficient_balance', 'en', '/en/docs#error-insufficient_balance'],
    ['chat completions', 'en', '/en/docs#createChatCompletion'],
    ['speech', 'en', '/en/docs#createSpeech'],
    ['embed', 'en', '/en/docs#createEmbeddings'],
    ['spend_cap_reached', 'fa', '/fa/docs#error-spend_cap_reached'],
  ] as const)('%s (%s) leads to its place first', (question, language, place) => {
    expect(hits(question, language)[0]).toBe(place);
  });

  it.each([
    ['Claude Code', 'claude-code'],
    ['Codex', 'codex'],
    ['پایگاه دانش', 'knowledge-bases'],
    ['رسید', 'receipts'],
  ])('%s leads to its part of the guide', (question, anchor) => {
    expect(hits(question)).toContain(`/fa/guide#${anchor}`);
  });

  it('letters, half-spaces and digits make no difference', () => {
    expect(hits('كيف پول')).toEqual(hits('کیف پول'));
    expect(hits('پایگاه‌های دانش')).toEqual(hits('پايگاه هاي دانش'));
    expect(hits('۴۲۹')).toEqual(hits('429'));
    expect(hits('429').length).toBeGreaterThan(0);
  });

  it('marks what was found and names nothing for nonsense', () => {
    expect(page('رسید')).toContain('<mark>');
    expect(hits('qwxzqwxz')).toEqual([]);
    expect(page('qwxzqwxz')).toContain('role="status"');
  });

  it('a question of a stranger is text, short, and answered by few places', () => {
    expect(page('"><script>alert(1)</script>')).not.toContain('<script>');
    expect(docsQuestion(new URLSearchParams({ q: 'a '.repeat(10_000) })).length).toBeLessThanOrEqual(100);
    expect(hits('the key model request answer token', 'en').length).toBeLessThanOrEqual(20);
  });

  it('builds one index for each language, when it is asked', () => {
    expect(built).toBeLessThanOrEqual(2);
  });
});

describe('samples of an endpoint', () => {
  const ofChat = (language: Language) => endpointSamples(chat.createChatCompletion, 'https://gate.example', language);

  it('speak the language of the page', () => {
    for (const { code } of ofChat('fa')) expect(code).toContain('سلام');
    for (const { code } of ofChat('en')) expect(code).toContain('Hello');
    for (const endpoint of endpoints)
      for (const { code, id } of endpointSamples(endpoint, 'https://gate.example', 'en'))
        expect(code, id).not.toMatch(/[\u0600-\u06ff]/);
  });

  it('are JavaScript that parses', () => {
    for (const endpoint of endpoints) {
      const code = endpointSamples(endpoint, 'https://gate.example', 'fa').find(
        ({ name }) => name === 'JavaScript',
      )?.code;
      const body = (code ?? '').replace(/^import .*$/gm, '');
      expect(() => new Function(`return async () => {\n${body}\n}`), endpoint.operationId).not.toThrow();
    }
  });
});
