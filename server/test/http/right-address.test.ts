/** What a 404 of the API tells besides that nothing is there. */
import { describe, expect, it } from 'vitest';
import { notFoundAt } from '../../src/http/right-address.ts';

const availableAt = (url: string) => notFoundAt(url).options.detail?.['available'];

describe('a 404', () => {
  it.each([
    [
      '/api/v1/responses/shorten?x=1',
      ['/api/v1/responses', '/api/v1/responses/compact', '/api/v1/responses/input_tokens'],
    ],
    ['/api/v1/chat/threads/', ['/api/v1/chat/completions']],
    ['/api/v1/messages/drafts', ['/api/v1/messages', '/api/v1/messages/batches', '/api/v1/messages/count_tokens']],
  ])('%s names what is near', (url, near) => {
    const error = notFoundAt(url);
    expect(error.options.detail).toEqual({ available: near });
    for (const language of ['fa', 'en'] as const) for (const path of near) expect(error.text(language)).toContain(path);
  });

  it.each(['/api/v1/uploads', '/api/v1/videos', '/api/v1/threads/b_1'])(
    '%s, with nothing near, names all there is',
    (url) => {
      expect(availableAt(url)).toEqual(expect.arrayContaining(['/api/v1/chat/completions', '/api/v1/embeddings']));
      expect(availableAt(url)).toHaveLength(24);
    },
  );

  it('of Gemini names the same model behind the right base address', () => {
    const right = '/api/v1beta/models/openai/gpt-x:generateContent';
    for (const url of [
      '/v1beta/models/openai/gpt-x:generateContent?key=k',
      '/api/v2/models/openai/gpt-x:generateContent',
    ])
      expect(notFoundAt(url).options.detail, url).toEqual({ correct_path: right });
  });

  it('names nothing where only the method is wrong, nor outside the API', () => {
    for (const url of ['/api/v1/chat/completions', '/api/v1', '/favicon.ico', '/console/none']) {
      expect(availableAt(url), url).toBeUndefined();
    }
  });
});
