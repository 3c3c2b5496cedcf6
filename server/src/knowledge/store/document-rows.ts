/** Documents in the database: their state, and the bytes that wait to be read. */
import type { Text } from '@dargah/core/text.ts';
import type { Queryable } from '../../platform/db/index.ts';
import { type Page, type PageStart, toPage } from '../../platform/db/pages.ts';

export type DocumentState = 'queued' | 'reading' | 'embedding' | 'ready' | 'failed';

export interface KnowledgeDocument {
  id: string;
  baseId: string;
  name: string;
  source: 'upload' | 'text' | 'url';
  url: string | null;
  mediaType: string | null;
  contentHash: Buffer | null;
  bytes: number;
  revision: number;
  state: DocumentState;
  progress: number;
  reason: Text | null;
  passages: number;
  createdAt: Date;
  updatedAt: Date;
}

const COLUMNS = `id, base_id as "baseId", name, source, url, media_type as "mediaType", content_hash as "contentHash",
  bytes::float8 as bytes, revision, state, progress, reason, passages, created_at as "createdAt", updated_at as "updatedAt"`;

export interface NewContent {
  name: string;
  source: KnowledgeDocument['source'];
  url: string | null;
  mediaType: string | null;
  /** Both null for an address that is still to be fetched. */
  contentHash: Buffer | null;
  content: Uint8Array | null;
}

/** A document with its content, and its place in the queue. */
export async function insertDocument(
  tx: Queryable,
  document: KnowledgeDocument,
  content: Buffer | null,
): Promise<void> {
  await tx.query(
    `with document as (
       insert into knowledge_document (${INSERTED}, state) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, 'queued')),
     content as (
       insert into knowledge_content (document_id, bytes) select $1, $10::bytea where $10::bytea is not null)
     insert into knowledge_job (document_id, revision) values ($1, 1)`,
    [...insertedValues(document), content],
    { name: 'knowledge-document-queue' },
  );
}

/** Columns of a new document, in the order of their values. */
export const INSERTED = 'id, base_id, name, source, url, media_type, content_hash, bytes, created_at, updated_at';

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

/** The passages of the old content stay searchable until the new ones are ready. */
export async function replaceContent(
  tx: Queryable,
  document: KnowledgeDocument,
  input: NewContent,
  at: Date,
): Promise<void> {
  const revision = document.revision + 1;
  await tx.query(
    `update knowledge_document set name = $2, source = $3, url = $4, media_type = $5, content_hash = $6, bytes = $7, revision = $8,
       state = 'queued', progress = 0, reason = null, updated_at = $9 where id = $1`,
    [
      document.id,
      input.name,
      input.source,
      input.url,
      input.mediaType,
      input.contentHash,
      input.content?.length ?? 0,
      revision,
      at,
    ],
  );
  await enqueue(tx, document.id, revision, input.content);
}

async function enqueue(tx: Queryable, id: string, revision: number, content: Uint8Array | null): Promise<void> {
  await tx.query('delete from knowledge_content where document_id = $1', [id]);
  if (content) await storeContent(tx, id, content);
  // A running job of the old content loses its lease here and finds out when it wants to finish.
  await tx.query('delete from knowledge_job where document_id = $1', [id]);
  await tx.query('insert into knowledge_job (document_id, revision) values ($1, $2)', [id, revision]);
}

export async function storeContent(tx: Queryable, id: string, content: Uint8Array): Promise<void> {
  await tx.query(
    'insert into knowledge_content (document_id, bytes) values ($1, $2) on conflict (document_id) do update set bytes = excluded.bytes',
    [id, bufferOf(content)],
  );
}

/** The same bytes, as the driver wants them. */
export function bufferOf(content: Uint8Array): Buffer {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

export async function selectContent(db: Queryable, id: string): Promise<Uint8Array | undefined> {
  const [row] = await db.query<{ bytes: Buffer }>('select bytes from knowledge_content where document_id = $1', [id]);
  return row && new Uint8Array(row.bytes);
}

export async function selectDocument(
  db: Queryable,
  baseId: string,
  id: string,
  lock = false,
): Promise<KnowledgeDocument | undefined> {
  const [row] = await db.query<KnowledgeDocument>(
    `select ${COLUMNS} from knowledge_document where id = $1 and base_id = $2${lock ? ' for update' : ''}`,
    [id, baseId],
  );
  return row;
}

/** What limits are measured by. */
export interface StoredNow {
  /** In the base. */
  documentsOfBase: number;
  /** In all bases of the account. */
  bytesOfAccount: number;
}

/** Of base $1 and account $2. */
const STORED_NOW = `select count(*) filter (where d.base_id = $1)::float8 as "documentsOfBase",
         coalesce(sum(d.bytes), 0)::float8 as "bytesOfAccount"
    from knowledge_base b join knowledge_document d on d.base_id = b.id where b.account_id = $2`;

export async function storedNow(tx: Queryable, baseId: string, accountId: string): Promise<StoredNow> {
  const [row] = await tx.query<StoredNow>(STORED_NOW, [baseId, accountId]);
  return row ?? { documentsOfBase: 0, bytesOfAccount: 0 };
}

/** By content first: the same bytes under another name are still the same document. */
export async function findSame(
  tx: Queryable,
  baseId: string,
  accountId: string,
  { contentHash, name }: NewContent,
): Promise<{ same: KnowledgeDocument | undefined; stored: StoredNow }> {
  const rows = await tx.query<StoredNow & (KnowledgeDocument | { id: null })>(
    `with stored as (${STORED_NOW}),
     same as (
       select ${COLUMNS} from knowledge_document where base_id = $1 and (content_hash = $3 or name = $4) for update)
     select * from stored left join same on true`,
    [baseId, accountId, contentHash, name],
    { name: 'knowledge-document-same' },
  );
  const found = rows.filter((row) => row.id !== null);
  const same = found.find((row) => contentHash !== null && row.contentHash?.equals(contentHash)) ?? found[0];
  return { same, stored: rows[0] ?? { documentsOfBase: 0, bytesOfAccount: 0 } };
}

export async function selectDocuments(
  db: Queryable,
  baseId: string,
  start: PageStart,
): Promise<Page<KnowledgeDocument>> {
  const rows = await db.query<KnowledgeDocument>(
    `select ${COLUMNS} from knowledge_document
      where base_id = $1 and ($2::timestamptz is null or (created_at, id) < ($2, $3))
      order by created_at desc, id desc limit $4`,
    [baseId, start.time, start.id, start.fetch],
  );
  return toPage(rows, start, ({ createdAt, id }) => ({ time: createdAt, id }));
}

/** Only while the content is still the one that was worked on. */
export async function showProgress(
  db: Queryable,
  id: string,
  revision: number,
  state: DocumentState,
  progress: number,
): Promise<void> {
  await db.query(
    `update knowledge_document set state = $3, progress = $4, updated_at = now() where id = $1 and revision = $2 and state <> 'ready'`,
    [id, revision, state, progress],
  );
}

export async function changeMark(db: Queryable, accountId: string): Promise<string> {
  const [row] = await db.query<{ mark: string }>(
    `select count(*) || ' ' || coalesce(max(d.updated_at)::text, '') as mark
       from knowledge_base b join knowledge_document d on d.base_id = b.id where b.account_id = $1`,
    [accountId],
  );
  return row?.mark ?? '';
}
