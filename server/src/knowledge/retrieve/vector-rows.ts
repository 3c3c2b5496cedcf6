/** Vectors in the database: as pgvector keeps them, or as bytes. */
import { column, command, commandFor, statement, statementFor } from '../../platform/db/index.ts';

export const TYPE_OF_VECTORS = statement(
  { type: column.of<string>('name') },
  // The views of information_schema would take ten times as long at every start.
  `select typname as type from pg_attribute join pg_type on pg_type.oid = atttypid
    where attrelid = to_regclass('knowledge_vector') and attname = 'embedding'`,
);

export const INSERT_PGVECTORS = command(
  `insert into knowledge_vector (passage_id, base_id, embedding)
   select r.id, $1, r.embedding::vector from unnest($2::bigint[], $3::text[]) as r(id, embedding) on conflict do nothing`,
);

export const NEAREST_PGVECTORS = statement(
  { id: column.bigint },
  `select passage_id as id from knowledge_vector where base_id = any($1) and vector_dims(embedding) = $3
    order by embedding <=> $2::vector limit $4`,
);

// The database that describes the statements has pgvector, whose table takes no bytes, so these two have no samples.
export const INSERT_VECTORS = commandFor(
  () => `insert into knowledge_vector (passage_id, base_id, embedding)
   select r.id, $1, r.embedding from unnest($2::bigint[], $3::bytea[]) as r(id, embedding) on conflict do nothing`,
);

export const VECTORS_OF_BASE = statementFor(
  { id: column.bigint, embedding: column.bytes },
  () => `select passage_id as id, embedding from knowledge_vector where base_id = $1 and passage_id > $2
      and octet_length(embedding) = $3 order by passage_id limit $4`,
);
