/**
 * Passages by their words. The database finds candidates through its index, by the rarer words of the question only, so that a
 * common word never makes it read the whole base; the final order is BM25, computed here over the few candidates.
 */
import type { Queryable } from '../../platform/db/index.ts';
import { wordsOf } from '../language/words.ts';
import { FOUND_COLUMNS, type FoundPassage, searchedText } from '../store/passage-rows.ts';
import type { Concept } from './question.ts';

/** Passages the database may score per search; more would cost time and win nothing. */
const MOST_SCORED = 2_000;
const CANDIDATES = 50;
const MOST_CONCEPTS = 16;

const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.6;
/** Words of a usual passage; only ratios to it matter. */
const USUAL_LENGTH = 120;

export async function searchByWords(
  db: Queryable,
  baseIds: readonly string[],
  concepts: readonly Concept[],
): Promise<FoundPassage[]> {
  const rarest = [...concepts].sort((a, b) => b.weight - a.weight).slice(0, MOST_CONCEPTS);
  if (rarest.length === 0) return [];
  const queries = rarest.map((concept) => anyOf(concept));
  const score = rarest.map((_, at) => `(p.words @@ $${2 * at + 4}::tsquery)::int * $${2 * at + 5}::float8`).join(' + ');
  const rows = await db.query<FoundPassage>(
    `select ${FOUND_COLUMNS} from (
       select p.id, (${score}) as score from (
         select id, words from knowledge_passage where live and base_id = any($1) and words @@ $2::tsquery limit $3) p
        order by score desc, p.id limit ${CANDIDATES}) c
      join knowledge_passage p on p.id = c.id join knowledge_document d on d.id = p.document_id`,
    [baseIds, matching(rarest), MOST_SCORED, ...rarest.flatMap(({ weight }, at) => [queries[at], weight])],
  );
  return rank(rows, rarest);
}

/** The words that a candidate must have at least one of: the rarest, as many as keep the number of candidates in bounds. */
function matching(rarest: readonly Concept[]): string {
  const chosen: string[] = [];
  let passages = 0;
  for (const concept of rarest) {
    if (chosen.length > 0 && passages + concept.passages > MOST_SCORED) break;
    passages += concept.passages;
    chosen.push(anyOf(concept));
  }
  const [first, second, third] = rarest.map((concept) => `(${anyOf(concept)})`);
  // Even the rarest word is everywhere: two of them together are not.
  if (passages > MOST_SCORED && first !== undefined && second !== undefined)
    return [`${first} & ${second}`, ...(third === undefined ? [] : [`${first} & ${third}`])].join(' | ');
  return chosen.join(' | ');
}

function anyOf({ forms }: Concept): string {
  return [...forms.keys()].map((form) => `'${form.replaceAll(/['\\]/g, ' ')}'`).join(' | ');
}

function rank(candidates: readonly FoundPassage[], concepts: readonly Concept[]): FoundPassage[] {
  return candidates
    .map((passage) => ({ passage, score: bm25(wordsOf(searchedText(passage, passage.documentName)), concepts) }))
    .sort((a, b) => b.score - a.score || Number(a.passage.id - b.passage.id))
    .map(({ passage }) => passage);
}

function bm25(words: readonly string[], concepts: readonly Concept[]): number {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const length = 1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * words.length) / USUAL_LENGTH;
  let score = 0;
  for (const { weight, forms } of concepts) {
    let count = 0;
    for (const [form, worth] of forms) count += worth * (counts.get(form) ?? 0);
    score += (weight * count * (SATURATION + 1)) / (count + SATURATION * length);
  }
  return score;
}
