/** Counts the tokens of embedding inputs. Many or long ones are read in turns with other requests. */
import type { RandomBytes } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import { countTokens, type TokenCount } from '../../core/token-estimate.ts';
import type { EmbeddingRequest } from '../../protocols/index.ts';
import { countWaiting } from '../admit/count-waiting.ts';
import { TextCount } from '../admit/text-count.ts';

/** No value of the fields that choose a kind of vector is longer. */
const MAX_CHOICE_CHARS = 32;

export function countInputs(
  { inputs, extras }: Pick<EmbeddingRequest, 'inputs' | 'extras'>,
  randomBytes: RandomBytes,
): MaybePromise<TokenCount> {
  const sum = { likely: 0, max: 0 };
  // Inputs are seldom repeated, so their counts are not cached.
  const texts = new TextCount(countTokens);
  // Instructions and titles are put in front of every input.
  for (const text of instructionsIn(extras)) sum.max += texts.of(text, 'aside').max * inputs.length;
  for (const input of inputs) {
    const { likely, max } = typeof input === 'string' ? texts.of(input) : { likely: input.length, max: input.length };
    sum.likely += likely;
    sum.max += max;
  }
  return texts.waiting ? readTheRest(sum, texts, inputs.length, randomBytes) : sum;
}

async function readTheRest(
  sum: TokenCount,
  { waiting = [] }: TextCount,
  inputs: number,
  randomBytes: RandomBytes,
): Promise<TokenCount> {
  await countWaiting({
    waiting,
    randomBytes,
    put: ({ use, counted: before }, { likely, max }) => {
      sum.max += (max - before.max) * (use === 'aside' ? inputs : 1);
      if (use === 'prompt') sum.likely += likely - before.likely;
    },
    // A model's context applies to each input, and providers cut or refuse each by itself.
    checkLeast: () => undefined,
    canPayMax: async () => false,
  });
  return sum;
}

function instructionsIn(extras: JsonObject): string[] {
  const found: string[] = [];
  for (const name in extras) {
    const value = extras[name];
    if (value === undefined || value === null) continue;
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    if (text.length > MAX_CHOICE_CHARS || name === 'query_instruction' || name === 'title') found.push(text);
  }
  return found;
}
