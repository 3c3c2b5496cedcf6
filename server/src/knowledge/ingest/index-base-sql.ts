/** Statements that bring the postings of a base up to its version. */
import { column, command, statement } from '../../platform/db/index.ts';
import { passageTermsRow } from '../store/posting-rows.ts';

export const BASE_TO_INDEX = statement(
  { id: column.text },
  `select id from knowledge_base
    where passages > 0 and (indexed_version is distinct from version or indexed_passages > passages + passages / 2 + $1)
    order by id limit 1`,
  { name: 'knowledge-base-to-index' },
);

export const DELETE_POSTINGS = command('delete from knowledge_posting where base_id = $1');

export const FORGET_INDEXED_REVISIONS = command(
  'update knowledge_document set indexed_revision = null where base_id = $1',
);

export const FORGET_INDEXED = command(
  'update knowledge_base set indexed_version = null, indexed_passages = 0, indexed_words = 0 where id = $1',
);

export const MARK_BASE_INDEXED = command('update knowledge_base set indexed_version = version where id = $1');

export const LIVE_TERMS = statement(
  passageTermsRow,
  'select id, terms from knowledge_passage where document_id = any($1) and live order by document_id, ordinal',
);

export const NOTE_INDEXED_REVISIONS = command(
  `update knowledge_document d set indexed_revision =
     coalesce((select p.revision from knowledge_passage p where p.document_id = d.id and p.live limit 1), 0)
    where d.id = any($1)`,
);

export const ADD_INDEXED = command(
  'update knowledge_base set indexed_passages = indexed_passages + $2, indexed_words = indexed_words + $3 where id = $1',
);

export const NEVER_INDEXED = statement(
  { id: column.text, passages: column.int },
  `select id, passages from knowledge_document where base_id = $1 and passages > 0 and indexed_revision is null
    order by created_at, id limit $2`,
);

export const REPLACED_SINCE_INDEXED = statement(
  { id: column.text, passages: column.int },
  `select d.id, d.passages from knowledge_document d where d.base_id = $1 and d.passages > 0 and exists (
     select from knowledge_passage p where p.document_id = d.id and p.live and p.revision <> d.indexed_revision)
    order by d.created_at, d.id limit $2`,
);
