/** A document taken into a base: the same one twice is one, and what is new is put into the queue of ingestion. */
import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { invalidRequest } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { reasons } from '../core/reasons.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { JOB_TOPIC } from './ingest/ingester.ts';
import { limitReached, noSuchDocument, refuseDocument, refuseTaken } from './refusals.ts';
import type { KnowledgeLimits } from './settings.ts';
import * as bases from './store/base-rows.ts';
import * as documents from './store/document-rows.ts';
import { type ChangeAudit, type Reach, traceChange, visibleBase } from './visible-base.ts';

export interface DocumentInput {
  name: string;
  mediaType: string | null;
  source: 'upload' | 'text' | 'url';
  /** Null for an address: it is fetched later. */
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
) {
  const { db, clock, randomBytes, limits } = options;
  const now = () => new Date(clock.now());
  const wanted = checkContent(input, limits);
  const result = await db
    .transaction(async (tx) => {
      const base = await visibleBase(tx, reach, baseId);
      // One upload at a time into a base: two of the same file must not both find it missing.
      await tx.query('select 1 from knowledge_base where id = $1 for update', [baseId]);
      const present =
        replaced === undefined
          ? await documents.findSame(tx, baseId, wanted.contentHash, wanted.name)
          : ((await documents.selectDocument(tx, baseId, replaced, true)) ?? refuseDocument(replaced));
      if (present && isSame(present, wanted)) return { id: present.id, changed: false };
      await checkRoom(tx, base, present, wanted, limits);
      const id = present?.id ?? makeId('doc', clock.now(), randomBytes);
      if (present) await documents.replaceContent(tx, present, wanted, now());
      else await documents.insertDocument(tx, id, baseId, wanted, now());
      await db.publish(tx, JOB_TOPIC, id);
      const action = present ? 'knowledge_document.replace' : 'knowledge_document.create';
      await traceChange(options, tx, reach, action, id, { base: baseId, name: wanted.name, source: wanted.source });
      return { id, changed: true };
    })
    .catch((error: unknown) => refuseTaken(error));
  const document = await documents.selectDocument(db, baseId, result.id);
  if (!document) throw noSuchDocument(result.id);
  return { document, changed: result.changed };
}

const LONGEST_NAME = 255;

function checkContent(input: DocumentInput, limits: KnowledgeLimits): documents.NewContent {
  // A half-space is part of a Persian word; every other invisible character goes.
  const name = input.name
    .normalize('NFC')
    .replace(/(?!\u200c)\p{C}/gu, '')
    .trim()
    .slice(0, LONGEST_NAME);
  if (name === '') throw invalidRequest('name', reasons.required('name'));
  if (input.content && input.content.length > limits.documentBytes)
    throw invalidRequest('file', reasons.tooLong('file', limits.documentBytes), { status: 413 });
  const contentHash = input.content && createHash('sha256').update(input.content).digest();
  return { ...input, name, contentHash };
}

/** A failed document is tried again when it is sent again, and an address is read anew. */
function isSame(present: documents.KnowledgeDocument, wanted: documents.NewContent): boolean {
  return (
    wanted.contentHash !== null &&
    present.state !== 'failed' &&
    present.contentHash?.equals(wanted.contentHash) === true
  );
}

async function checkRoom(
  tx: Queryable,
  base: bases.KnowledgeBase,
  present: documents.KnowledgeDocument | undefined,
  wanted: documents.NewContent,
  limits: KnowledgeLimits,
): Promise<void> {
  if (!present && (await documents.countDocuments(tx, base.id)) >= limits.documents)
    throw limitReached('documents', limits.documents);
  const stored = await bases.storedBytes(tx, base.accountId);
  if (stored - (present?.bytes ?? 0) + (wanted.content?.length ?? 0) > limits.totalBytes)
    throw limitReached('bytes', limits.totalBytes);
}
