/** Statements of a search by words. */
import { column, orNull, type RowOf, statement } from '../../platform/db/index.ts';

export const VOCABULARY = statement(
  { words: orNull(column.text) },
  `select string_agg(word, ' ') as words from (
     select word from knowledge_word where base_id = $1 and passages > 0 limit $2) w`,
  { name: 'knowledge-vocabulary' },
);

const candidateRow = {
  id: column.bigint,
  /** In the order of the text, parted by blanks. */
  terms: column.text,
};

export type FoundCandidate = RowOf<typeof candidateRow>;

export const CANDIDATES_BY_WORDS = statement(
  candidateRow,
  `select p.id, p.terms from (
     select m.id from unnest($2::text[], $3::float8[]) as q(query, weight)
      cross join lateral (
        select id from knowledge_passage where live and base_id = any($1) and words @@ q.query::tsquery limit $4) m
      group by m.id order by sum(q.weight) desc, m.id limit $5) c
    join knowledge_passage p on p.id = c.id`,
  { name: 'knowledge-by-shared-index' },
);

const alikeRow = {
  form: column.text,
  likeness: column.float,
  passages: column.float,
};

export type AlikeForm = RowOf<typeof alikeRow>;

export const COUNTS_OF_WORDS = statement(
  { word: column.text, passages: column.float },
  `select word, sum(passages)::float8 as passages from knowledge_word
    where base_id = any($1) and word = any($2) and passages > 0 group by word`,
  { name: 'knowledge-word-counts' },
);

export const WORDS_ALIKE = statement(
  { ...alikeRow, asked: column.text },
  `select q.asked, w.form, w.likeness, w.passages from unnest($2::text[]) as q(asked)
    cross join lateral (
      select word as form, similarity(word, q.asked)::float8 as likeness, sum(passages)::float8 as passages
        from knowledge_word
       where word % q.asked and base_id = any($1) and passages > 0 and similarity(word, q.asked) >= $3
       group by word order by likeness desc, word limit $4) w`,
  { name: 'knowledge-words-alike' },
);
