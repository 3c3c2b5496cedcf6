/**
 * Puts a document into a base; sending the same one twice keeps one. A new short text is searchable at once, everything
 * else that is new goes into the queue of ingestion.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { invalidRequest } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { reasons } from '../core/reasons.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { JOB_TOPIC } from './ingest/ingester.ts';
import { cutAtOnce } from './ingest/short-document.ts';
import { limitReached, refuseDocument, refuseTaken } from './refusals.ts';
import type { KnowledgeLimits } from './settings.ts';
import * as documents from './store/document-rows.ts';
import type { LockedBase } from './store/posting-rows.ts';
import { publishNewDocument } from './store/publish-new.ts';
import { type ChangeAudit, lockVisibleBase, type Reach, traceChange } from './visible-base.ts';

export interface DocumentInput {
  name: string;
  mediaType: string | null;
  source: 'upload' | 'text' | 'url';
  /** Null for an address, which is fetched later. */
  content: Uint8Array | null;
  url: string | null;
}

export interface KeepingOptions extends ChangeAudit {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  limits: KnowledgeLimits;
}

export async function keepDocument(
  options: KeepingOptions,
  reach: Reach,
  baseId: string,
  input: DocumentInput,
  replaced: string | undefined,
): Promise<{ document: documents.KnowledgeDocument; changed: boolean }> {
  const { db, clock, limits } = options;
  const wanted = checkContent(input, limits);
  return db
    .transaction(async (tx) => {
      // Uploads into one base wait for each other, because two of the same file must not both find it missing.
      const base = await lockVisibleBase(tx, reach, baseId);
      const { present, stored } = await findPresent(tx, base, baseId, wanted, replaced);
      if (present && isSame(present, wanted)) return { document: present, changed: false };
      checkRoom(stored, present, wanted, limits);
      const document = present
        ? await replaceDocument(tx, present, wanted, new Date(clock.now()))
        : await addDocument(tx, options, base, baseId, wanted);
      if (document.state === 'queued') await db.publish(tx, JOB_TOPIC, document.id);
      const action = present ? 'knowledge_document.replace' : 'knowledge_document.create';
      const detail = { base: baseId, name: wanted.name, source: wanted.source };
      await traceChange(options, tx, reach, action, document.id, detail);
      return { document, changed: true };
    })
    .catch((error: unknown) => refuseTaken(error));
}

async function findPresent(
  tx: Queryable,
  { accountId }: LockedBase,
  baseId: string,
  wanted: documents.NewContent,
  replaced: string | undefined,
): Promise<{ present: documents.KnowledgeDocument | undefined; stored: documents.StoredNow }> {
  if (replaced === undefined) {
    const { same, stored } = await documents.findSame(tx, baseId, accountId, wanted);
    return { present: same, stored };
  }
  const present = (await documents.selectDocument(tx, baseId, replaced, true)) ?? refuseDocument(replaced);
  return { present, stored: await documents.storedNow(tx, baseId, accountId) };
}

async function addDocument(
  tx: Queryable,
  { clock, randomBytes }: KeepingOptions,
  base: LockedBase,
  baseId: string,
  wanted: documents.NewContent,
): Promise<documents.KnowledgeDocument> {
  const id = makeId('doc', clock.now(), randomBytes);
  const document = documents.newDocument(id, baseId, wanted, new Date(clock.now()));
  const passages = base.embeddingModel === null ? await cutAtOnce(wanted) : undefined;
  if (passages) return publishNewDocument(tx, document, base.indexedPassages, passages);
  await documents.insertDocument(tx, document, wanted.content && documents.bufferOf(wanted.content));
  return document;
}

async function replaceDocument(
  tx: Queryable,
  present: documents.KnowledgeDocument,
  wanted: documents.NewContent,
  at: Date,
): Promise<documents.KnowledgeDocument> {
  await documents.replaceContent(tx, present, wanted, at);
  return (await documents.selectDocument(tx, present.baseId, present.id)) ?? refuseDocument(present.id);
}

const MAX_NAME_CHARS = 255;

function checkContent(input: DocumentInput, limits: KnowledgeLimits): documents.NewContent {
  // A zero-width non-joiner is part of a Persian word; every other invisible character is removed.
  const name = input.name
    .normalize('NFC')
    .replace(/(?!\u200c)\p{C}/gu, '')
    .trim()
    .slice(0, MAX_NAME_CHARS);
  if (name === '') throw invalidRequest('name', reasons.required('name'));
  if (input.content && input.content.length > limits.documentBytes)
    throw invalidRequest('file', reasons.tooLong('file', limits.documentBytes), { status: 413 });
  const contentHash = input.content && createHash('sha256').update(input.content).digest();
  return { ...input, name, contentHash };
}

/** A failed document is tried again when it is sent again, and an address is read again. */
function isSame(present: documents.KnowledgeDocument, wanted: documents.NewContent): boolean {
  return (
    wanted.contentHash !== null &&
    present.state !== 'failed' &&
    present.contentHash?.equals(wanted.contentHash) === true
  );
}

function checkRoom(
  { documentsOfBase, bytesOfAccount }: documents.StoredNow,
  present: documents.KnowledgeDocument | undefined,
  wanted: documents.NewContent,
  limits: KnowledgeLimits,
): void {
  if (!present && documentsOfBase >= limits.documents) throw limitReached('documents', limits.documents);
  if (bytesOfAccount - (present?.bytes ?? 0) + (wanted.content?.length ?? 0) > limits.totalBytes)
    throw limitReached('bytes', limits.totalBytes);
}
