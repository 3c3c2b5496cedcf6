/**
 * Recorded provider traffic. It is not part of the repository: DARGAH_CORPUS names its folder, or it lies beside the
 * checkout. Where it is absent, describeCorpus skips its tests and says so.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';

export interface Exchange {
  id: string;
  api: string;
  host: string;
  path: string;
  query: string;
  status: number;
  stream: boolean;
  req: JsonObject;
  /** Raw text; of a stream the SSE text as it was sent. */
  resp: string;
  req_headers: Record<string, string>;
  resp_headers: Record<string, string>;
}

const repositoryRoot = resolve(import.meta.dirname, '../../..');
const folder = process.env['DARGAH_CORPUS'] ?? join(repositoryRoot, '../shared/corpus');
const fileOf = (collection: string): string => join(resolve(repositoryRoot, folder), `${collection}.jsonl.gz`);

const loaded = new Map<string, Exchange[]>();

function loadExchanges(collection: string): Exchange[] {
  const known = loaded.get(collection);
  if (known) return known;
  const exchanges = gunzipSync(readFileSync(fileOf(collection)))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const exchange = JSON.parse(line) as Exchange;
      // Some recorders kept the reason phrase: "200 OK".
      return { ...exchange, status: Number.parseInt(String(exchange.status), 10) };
    });
  loaded.set(collection, exchanges);
  return exchanges;
}

/** Describes tests over the recorded exchanges of the given kinds (`openai-chat`, `anthropic-messages`, …). */
export function describeCorpus(
  name: string,
  apis: readonly string[],
  tests: (exchanges: Exchange[]) => void,
  collections: readonly string[] = ['open'],
): void {
  if (!collections.every((collection) => existsSync(fileOf(collection)))) {
    describe.skip(`${name} (no recorded traffic: set DARGAH_CORPUS)`, () => tests([]));
    return;
  }
  describe(name, () => tests(collections.flatMap(loadExchanges).filter(({ api }) => apis.includes(api))));
}
