/** Statements on documents: their state, and the bytes that wait to be read. */
import type { Text } from '@dargah/core/text.ts';
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
import { type Page, type PageStart, toPage } from '../../platform/db/pages.ts';

export type DocumentState = 'queued' | 'reading' | 'embedding' | 'ready' | 'failed';

const documentRow = {
  id: column.text,
  baseId: column.text,
  name: column.text,
  source: column.textOf<'upload' | 'text' | 'url'>(),
  url: orNull(column.text),
  mediaType: orNull(column.text),
  contentHash: orNull(column.bytes),
  bytes: readAs('bytes::float8', column.float),
  revision: column.int,
  state: column.textOf<DocumentState>(),
  progress: column.int,
  reason: orNull(column.jsonOf<Text>()),
  passages: column.int,
  createdAt: column.timestamp,
  updatedAt: column.timestamp,
};
export type KnowledgeDocument = RowOf<typeof documentRow>;

const COLUMNS = columnsOf(documentRow);

export interface NewContent {
  name: string;
  source: KnowledgeDocument['source'];
  url: string | null;
  mediaType: string | null;
  /** Both null for an address that is still to be fetched. */
  contentHash: Buffer | null;
  content: Uint8Array | null;
}

/** Columns of a new document, in the order of their values. */
export const INSERTED = 'id, base_id, name, source, url, media_type, content_hash, bytes, created_at, updated_at';

const INSERT_DOCUMENT = command(
  `with document as (
     insert into knowledge_document (${INSERTED}, state) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, 'queued')),
   content as (
     insert into knowledge_content (document_id, bytes) select $1, $10::bytea where $10::bytea is not null)
   insert into knowledge_job (document_id, revision) values ($1, 1)`,
  { name: 'knowledge-document-queue' },
);

/** A document with its content, and its place in the queue. */
export async function insertDocument(
  tx: Queryable,
  document: KnowledgeDocument,
  content: Buffer | null,
): Promise<void> {
  await INSERT_DOCUMENT.run(tx, [...insertedValues(document), content]);
}

/** Nine, since it was changed when it was made. */
export function insertedValues(document: KnowledgeDocument): unknown[] {
  const { id, baseId, name, source, url, mediaType, contentHash, bytes, createdAt } = document;
  return [id, baseId, name, source, url, mediaType, contentHash, bytes, createdAt];
}

export function newDocument(id: string, baseId: string, input: NewContent, at: Date): KnowledgeDocument {
  const { name, source, url, mediaType, contentHash } = input;
  const bytes = input.content?.length ?? 0;
  const begun = { revision: 1, state: 'queued' as const, progress: 0, reason: null, passages: 0 };
  return { id, baseId, name, source, url, mediaType, contentHash, bytes, ...begun, createdAt: at, updatedAt: at };
}

const REPLACE_CONTENT = command(
  `update knowledge_document set name = $2, source = $3, url = $4, media_type = $5, content_hash = $6, bytes = $7, revision = $8,
     state = 'queued', progress = 0, reason = null, updated_at = $9 where id = $1`,
);

/** The passages of the old content stay searchable until the new ones are ready. */
export async function replaceContent(
  tx: Queryable,
  document: KnowledgeDocument,
  input: NewContent,
  at: Date,
): Promise<void> {
  const revision = document.revision + 1;
  await REPLACE_CONTENT.run(tx, [
    document.id,
    input.name,
    input.source,
    input.url,
    input.mediaType,
    input.contentHash,
    input.content?.length ?? 0,
    revision,
    at,
  ]);
  await enqueue(tx, document.id, revision, input.content);
}

const DELETE_CONTENT = command('delete from knowledge_content where document_id = $1');
const DELETE_JOB = command('delete from knowledge_job where document_id = $1');
const INSERT_JOB = command('insert into knowledge_job (document_id, revision) values ($1, $2)');

async function enqueue(tx: Queryable, id: string, revision: number, content: Uint8Array | null): Promise<void> {
  await DELETE_CONTENT.run(tx, [id]);
  if (content) await storeContent(tx, id, content);
  // A running job of the old content loses its lease here and finds out when it wants to finish.
  await DELETE_JOB.run(tx, [id]);
  await INSERT_JOB.run(tx, [id, revision]);
}

const STORE_CONTENT = command(
  'insert into knowledge_content (document_id, bytes) values ($1, $2) on conflict (document_id) do update set bytes = excluded.bytes',
);

export async function storeContent(tx: Queryable, id: string, content: Uint8Array): Promise<void> {
  await STORE_CONTENT.run(tx, [id, bufferOf(content)]);
}

/** The same bytes, as the driver wants them. */
export function bufferOf(content: Uint8Array): Buffer {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

const CONTENT = statement({ bytes: column.bytes }, 'select bytes from knowledge_content where document_id = $1');

export async function selectContent(db: Queryable, id: string): Promise<Uint8Array | undefined> {
  const row = await CONTENT.first(db, [id]);
  return row && new Uint8Array(row.bytes);
}

const DOCUMENT = statement(documentRow, `select ${COLUMNS} from knowledge_document where id = $1 and base_id = $2`);
const LOCKED_DOCUMENT = statement(documentRow, `${DOCUMENT.text} for update`);

export async function selectDocument(
  db: Queryable,
  baseId: string,
  id: string,
  lock = false,
): Promise<KnowledgeDocument | undefined> {
  return (lock ? LOCKED_DOCUMENT : DOCUMENT).first(db, [id, baseId]);
}

/** What limits are measured by. */
const storedRow = {
  /** In the base. */
  documentsOfBase: column.float,
  /** In all bases of the account. */
  bytesOfAccount: column.float,
};
export type StoredNow = RowOf<typeof storedRow>;

/** Of base $1 and account $2. */
const STORED_NOW = statement(
  storedRow,
  `select count(*) filter (where d.base_id = $1)::float8 as "documentsOfBase",
         coalesce(sum(d.bytes), 0)::float8 as "bytesOfAccount"
    from knowledge_base b join knowledge_document d on d.base_id = b.id where b.account_id = $2`,
);

export function storedNow(tx: Queryable, baseId: string, accountId: string): Promise<StoredNow> {
  return STORED_NOW.only(tx, [baseId, accountId]);
}

/** One row with no id, and nothing else of a document, where none is the same. */
const SAME_DOCUMENTS = statement(
  { ...storedRow, ...documentRow, id: orNull(column.text) },
  `with stored as (${STORED_NOW.text}),
   same as (
     select ${COLUMNS} from knowledge_document where base_id = $1 and (content_hash = $3 or name = $4) for update)
   select * from stored left join same on true`,
  { name: 'knowledge-document-same' },
);

/** Compared by content first, because the same bytes under another name are still the same document. */
export async function findSame(
  tx: Queryable,
  baseId: string,
  accountId: string,
  { contentHash, name }: NewContent,
): Promise<{ same: KnowledgeDocument | undefined; stored: StoredNow }> {
  const rows = await SAME_DOCUMENTS.rows(tx, [baseId, accountId, contentHash, name]);
  const found = rows.filter((row): row is StoredNow & KnowledgeDocument => row.id !== null);
  const same = found.find((row) => contentHash !== null && row.contentHash?.equals(contentHash)) ?? found[0];
  return { same, stored: rows[0] ?? { documentsOfBase: 0, bytesOfAccount: 0 } };
}

const DOCUMENTS = statement(
  documentRow,
  `select ${COLUMNS} from knowledge_document
    where base_id = $1 and ($2::timestamptz is null or (created_at, id) < ($2, $3))
    order by created_at desc, id desc limit $4`,
);

export async function selectDocuments(
  db: Queryable,
  baseId: string,
  start: PageStart,
): Promise<Page<KnowledgeDocument>> {
  const rows = await DOCUMENTS.rows(db, [baseId, start.time, start.id, start.fetch]);
  return toPage(rows, start, ({ createdAt, id }) => ({ time: createdAt, id }));
}

const SHOW_PROGRESS = command(
  `update knowledge_document set state = $3, progress = $4, updated_at = now() where id = $1 and revision = $2 and state <> 'ready'`,
);

/** Applies only while the content is still the one that was worked on. */
export async function showProgress(
  db: Queryable,
  id: string,
  revision: number,
  state: DocumentState,
  progress: number,
): Promise<void> {
  await SHOW_PROGRESS.run(db, [id, revision, state, progress]);
}

const CHANGE_MARK = statement(
  { mark: column.text },
  `select count(*) || ' ' || coalesce(max(d.updated_at)::text, '') as mark
     from knowledge_base b join knowledge_document d on d.base_id = b.id where b.account_id = $1`,
);

export async function changeMark(db: Queryable, accountId: string): Promise<string> {
  const row = await CHANGE_MARK.first(db, [accountId]);
  return row?.mark ?? '';
}

/** The hash is unique in a base: when another document has the same content, this one gets none. */
export const NOTE_FETCHED = command(
  `update knowledge_document d set bytes = $3, media_type = $4,
     content_hash = case when exists (select from knowledge_document o where o.base_id = d.base_id and o.content_hash = $5) then null else $5 end
    where id = $1 and revision = $2`,
);
