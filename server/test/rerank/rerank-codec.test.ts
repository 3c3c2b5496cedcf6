/** What a reranker is sent and how its answer is read, in every style; bad bodies are refused by their field. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { decodeRerank, decodeRerankRequest, encodeRerank, type RerankRequest } from '../../src/protocols/index.ts';

const BODY = { model: 'm/r', query: 'capital?', documents: ['Tehran', 'Isfahan', 'Shiraz'], top_n: 2 };
const request = (more: JsonObject = {}): RerankRequest => decodeRerankRequest({ ...BODY, ...more });

describe('what a client may send', () => {
  it.each([
    [{ query: undefined }, 'query'],
    [{ query: '  ' }, 'query'],
    [{ query: 7 }, 'query'],
    [{ documents: undefined }, 'documents'],
    [{ documents: [] }, 'documents'],
    [{ documents: 'one' }, 'documents'],
    [{ documents: ['a', ''] }, 'documents.1'],
    [{ documents: ['a', 3] }, 'documents.1'],
    [{ documents: [{ title: 'x' }] }, 'documents.0.text'],
    [{ documents: [{ title: 'x' }], rank_fields: ['body'] }, 'documents.0'],
    [{ documents: Array.from({ length: 1_001 }, () => 'a') }, 'documents'],
    [{ top_n: 0 }, 'top_n'],
    [{ top_n: 1.5 }, 'top_n'],
    [{ return_documents: 'yes' }, 'return_documents'],
    [{ max_tokens_per_doc: 0 }, 'max_tokens_per_doc'],
  ])('%j is refused by its field', (more, param) => {
    const read = () => request(more as JsonObject);
    expect(read).toThrow(
      expect.objectContaining({ code: 'invalid_request', options: expect.objectContaining({ param }) }),
    );
  });

  it('objects are documents by their text, or by the fields that are to be ranked', () => {
    expect(request({ documents: [{ text: 'one', id: 4 }] }).documents).toEqual(['one']);
    const documents = [{ title: 'T', body: { a: 1 }, other: 'x' }];
    expect(request({ documents, rank_fields: ['title', 'body'] }).documents).toEqual(['title: T\nbody: {"a":1}']);
  });
});

describe('what a provider is sent', () => {
  it.each([
    ['cohere', '//v2/rerank', { model: 'up', query: 'capital?', documents: BODY.documents, top_n: 2 }],
    ['jina', '/rerank', { ...BODY, model: 'up', return_documents: false }],
    ['voyage', '/rerank', { model: 'up', query: 'capital?', documents: BODY.documents, top_k: 2 }],
    ['tei', '//rerank', { query: 'capital?', texts: BODY.documents, truncate: true }],
  ] as const)('%s', (rerankStyle, path, body) => {
    expect(encodeRerank(request(), 'up', { rerankStyle })).toMatchObject({ path, body, warnings: [] });
  });

  it('never asks for more than there are, and drops unknown fields with a warning', () => {
    const { body, warnings } = encodeRerank(request({ top_n: 99, priority: 1 }), 'up', {});
    expect(body).toMatchObject({ top_n: 3 });
    expect(body).not.toHaveProperty('priority');
    expect(warnings).toEqual([expect.stringContaining('priority dropped')]);
  });
});

describe('what a provider answers', () => {
  const ranked = [
    { index: 1, score: 0.9 },
    { index: 0, score: -8.3 },
  ];

  it.each([
    ['Cohere', { results: scored('relevance_score'), meta: { billed_units: { search_units: 1 } } }, { searches: 1 }],
    ['Voyage', { data: scored('relevance_score'), usage: { total_tokens: 43 } }, { inputFresh: 43 }],
    [
      'vLLM',
      { results: scored('relevance_score'), usage: { prompt_tokens: 55, total_tokens: 55 } },
      { inputFresh: 55 },
    ],
    ['TEI', scored('score'), {}],
  ])('%s', (_vendor, answer, counted) => {
    expect(decodeRerank(answer, request())).toMatchObject({ results: ranked, counted });
  });

  it('is cut to what was asked for and sorted, whatever came', () => {
    const results = [...scored('relevance_score'), { index: 2, relevance_score: 0.1 }];
    const answer = decodeRerank({ results }, request({ top_n: 2 }));
    expect(answer).toMatchObject({
      results: [
        { index: 1, score: 0.9 },
        { index: 2, score: 0.1 },
      ],
    });
  });

  it.each([
    [{ results: [] }, 'empty'],
    [{ results: [{ index: 3, relevance_score: 1 }] }, 'malformed'],
    [{ results: [{ index: 0 }] }, 'malformed'],
    [{ results: [...scored('score'), ...scored('score')] }, 'malformed'],
    [{ text: 'hello' }, 'malformed'],
    [undefined, 'malformed'],
  ])('%j is no answer', (answer, kind) => {
    expect(decodeRerank(answer, request())).toMatchObject({ kind });
  });
});

function scored(name: string) {
  return [
    { index: 0, [name]: -8.3 },
    { index: 1, [name]: 0.9 },
  ];
}
