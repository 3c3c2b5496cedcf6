/** How many tokens a reranker reads: each document together with the query, which is how all of them count. */
import type { RandomBytes } from '../../core/ids.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import { countTokens, type TokenCount } from '../../core/token-estimate.ts';
import type { RerankRequest } from '../../protocols/index.ts';
import { countWaiting } from '../admit/count-waiting.ts';
import { TextCount } from '../admit/text-count.ts';

/** Separators around and between the two texts of a pair. */
const SEPARATOR_TOKENS = 4;

export interface CountedPairs extends TokenCount {
  /** The upper bound for the documents without the query. */
  documents: number;
}

export function countPairs({ query, documents }: RerankRequest, randomBytes: RandomBytes): MaybePromise<CountedPairs> {
  const pairs = documents.length;
  const texts = new TextCount(countTokens);
  const asked = texts.of(query, 'aside');
  const sum = { likely: asked.likely * pairs, max: (asked.max + SEPARATOR_TOKENS) * pairs, documents: 0 };
  for (const document of documents) {
    const { likely, max } = texts.of(document);
    sum.likely += likely;
    sum.max += max;
    sum.documents += max;
  }
  return texts.waiting ? readTheRest(sum, texts, pairs, randomBytes) : sum;
}

async function readTheRest(
  sum: CountedPairs,
  { waiting = [] }: TextCount,
  pairs: number,
  randomBytes: RandomBytes,
): Promise<CountedPairs> {
  await countWaiting({
    waiting,
    randomBytes,
    put: ({ use, counted: before }, { likely, max }) => {
      const times = use === 'aside' ? pairs : 1;
      sum.likely += (likely - before.likely) * times;
      sum.max += (max - before.max) * times;
      if (use !== 'aside') sum.documents += max - before.max;
    },
    // A model's context applies to each pair, and providers cut or refuse each by itself.
    checkLeast: () => undefined,
    canPayMax: async () => false,
  });
  return sum;
}
