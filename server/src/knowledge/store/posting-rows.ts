/** Statements on postings. A writer holds the lock of the base's row, so that passages are numbered one by one. */
import {
  column,
  columnsOf,
  command,
  orNull,
  type Queryable,
  type RowOf,
  readAs,
  statement,
} from '../../platform/db/index.ts';
import { PASSAGES_PER_SEGMENT, POSTING_BYTES, writePosting } from './posting-format.ts';

/** A passage with its words in the order of the text, parted by blanks. */
export const passageTermsRow = {
  id: column.bigint,
  terms: column.text,
};
export type PassageTerms = RowOf<typeof passageTermsRow>;

/** How many passages, and words in them, were added. */
export interface AddedPostings {
  passages: number;
  words: number;
}

const ADD_POSTINGS = command(
  `insert into knowledge_posting (base_id, word, segment, data)
   select $1, r.word, $2, decode(r.data, 'hex') from unnest($3::text[], $4::text[]) as r(word, data)
   on conflict (base_id, word, segment) do update set data = knowledge_posting.data || excluded.data`,
  { name: 'knowledge-postings-add' },
);

/** `first` is the number of the first passage: how many were ever added before. */
export async function addPostings(
  tx: Queryable,
  baseId: string,
  first: number,
  passages: readonly PassageTerms[],
): Promise<AddedPostings> {
  let words = 0;
  for (const segment of segmentsOf(first, passages)) {
    words += segment.total;
    if (segment.words.length === 0) continue;
    await ADD_POSTINGS.run(tx, [baseId, segment.segment, segment.words, segment.data]);
  }
  return { passages: passages.length, words };
}

/** What is appended to the rows of one segment. */
export interface SegmentPostings {
  segment: number;
  words: string[];
  /** For each word, in hexadecimal digits. */
  data: string[];
  /** How many words the passages contain, with repetitions. */
  total: number;
}

export function segmentsOf(first: number, passages: readonly PassageTerms[]): SegmentPostings[] {
  const segments: SegmentPostings[] = [];
  for (let at = 0; at < passages.length; ) {
    const segment = Math.floor((first + at) / PASSAGES_PER_SEGMENT);
    const end = Math.min(passages.length, (segment + 1) * PASSAGES_PER_SEGMENT - first);
    segments.push(segmentOf(segment, passages.slice(at, end)));
    at = end;
  }
  return segments;
}

function segmentOf(segment: number, passages: readonly PassageTerms[]): SegmentPostings {
  const postings = new Map<string, Buffer[]>();
  let total = 0;
  for (const { id, terms } of passages) {
    const words = terms === '' ? [] : terms.split(' ');
    total += words.length;
    for (const [word, count] of countsOf(words)) {
      const posting = Buffer.allocUnsafe(POSTING_BYTES);
      writePosting(posting, 0, Number(id), count, words.length);
      const known = postings.get(word);
      if (known) known.push(posting);
      else postings.set(word, [posting]);
    }
  }
  // In the order of the key, so that neighbours are on one page.
  const words = [...postings.keys()].sort();
  const data = words.map((word) => Buffer.concat(postings.get(word) ?? []).toString('hex'));
  return { segment, words, data, total };
}

export function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

const POSTINGS = statement(
  { word: column.text, data: column.bytes },
  `select word, string_agg(data, ''::bytea) as data from knowledge_posting
    where base_id = any($1) and word = any($2) group by word`,
  { name: 'knowledge-postings' },
);

/** The words that have postings, each with the bytes of all its passages in the bases. */
export async function readPostings(
  db: Queryable,
  baseIds: readonly string[],
  words: readonly string[],
): Promise<Map<string, Buffer>> {
  if (words.length === 0) return new Map();
  const rows = await POSTINGS.rows(db, [baseIds, words]);
  return new Map(rows.map(({ word, data }) => [word, data]));
}

/** An empty base is always complete. */
const IS_INDEXED = '(passages = 0 or indexed_version is not distinct from version)';

/** The base's row, locked: nobody else publishes into the base, or removes from it, before the transaction ends. */
const lockedRow = {
  accountId: column.text,
  embeddingModel: orNull(column.text),
  version: column.bigint,
  passages: readAs('passages::float8', column.float),
  /** True when the postings are of this very version. */
  indexed: readAs(IS_INDEXED, column.boolean),
  indexedPassages: readAs('indexed_passages::float8', column.float),
};
export type LockedBase = RowOf<typeof lockedRow>;

const LOCKED_BASE = statement(
  lockedRow,
  `select ${columnsOf(lockedRow)}
     from knowledge_base where id = $1 and ($2::text is null or account_id = $2) for update`,
  { name: 'knowledge-base-lock' },
);

/** `accountId` null: of any account. */
export async function lockBase(
  tx: Queryable,
  baseId: string,
  accountId: string | null = null,
): Promise<LockedBase | undefined> {
  return LOCKED_BASE.first(tx, [baseId, accountId]);
}

/** Of base $1, by $2 searchable passages, $3 passages in the postings and $4 words in them. */
export const CHANGE_BASE = command(
  `update knowledge_base set version = version + 1, passages = passages + $2, updated_at = now(),
       indexed_version = case when ${IS_INDEXED} then version + 1 else indexed_version end,
       indexed_passages = indexed_passages + $3, indexed_words = indexed_words + $4
      where id = $1`,
  { name: 'knowledge-base-change' },
);

/**
 * Records a change of what is searchable: the version grows, and the postings stay complete if they were before and
 * `added` describes the change.
 */
export async function changeBase(
  tx: Queryable,
  baseId: string,
  passages: number,
  added: AddedPostings = { passages: 0, words: 0 },
): Promise<void> {
  await CHANGE_BASE.run(tx, [baseId, passages, added.passages, added.words]);
}
