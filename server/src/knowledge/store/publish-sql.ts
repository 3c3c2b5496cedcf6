/** Statements that publish a new document with its words. */

import { column, command, statement } from '../../platform/db/index.ts';
import { INSERTED } from './document-rows.ts';
import { CHANGE_BASE } from './posting-rows.ts';

export const INSERT_READY = statement(
  { id: column.bigint, ordinal: column.int },
  `with document as (
     insert into knowledge_document (${INSERTED}, state, progress, passages, indexed_revision)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, 'ready', 100, cardinality($10::int[]), 1))
   insert into knowledge_passage (base_id, document_id, revision, live, ordinal, text, page, heading, tokens, terms, words)
   select $2, $1, 1, true, r.ordinal, r.text, r.page, r.heading, r.tokens, r.terms, array_to_tsvector(string_to_array(r.terms, ' '))
     from unnest($10::int[], $11::text[], $12::int[], $13::text[], $14::int[], $15::text[])
       as r(ordinal, text, page, heading, tokens, terms)
   returning id, ordinal`,
  { name: 'knowledge-document-publish' },
);

export const ADD_WORDS = command(
  `with counted as (
     insert into knowledge_word (base_id, word, passages)
     select $1, r.word, r.passages from unnest($5::text[], $6::int[]) as r(word, passages)
     on conflict (base_id, word) do update set passages = knowledge_word.passages + excluded.passages),
   posted as (
     insert into knowledge_posting (base_id, word, segment, data)
     select $1, r.word, r.segment, decode(r.data, 'hex') from unnest($7::text[], $8::int[], $9::text[]) as r(word, segment, data)
     on conflict (base_id, word, segment) do update set data = knowledge_posting.data || excluded.data)
   ${CHANGE_BASE.text}`,
  { name: 'knowledge-words-publish' },
);
