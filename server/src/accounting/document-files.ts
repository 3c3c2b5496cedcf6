/** Pictures and PDFs of documents: a few per document, kept in the database beside it, for as long as the books. */

import { createHash } from 'node:crypto';
import { decodeAttached, paperType, safeFileName } from '../core/attached-file.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { noSuch } from '../keys/index.ts';
import { createChangeRecorder } from '../platform/audit-log.ts';
import { type Database, lockUntilCommit } from '../platform/db/index.ts';
import {
  DIGESTS_OF_FILES,
  DOCUMENT_THERE,
  FILE_OF_DOCUMENT,
  FILES_OF_DOCUMENT,
  INSERT_FILE,
} from './book-document-rows.ts';
import { accountingReasons } from './reasons.ts';

export interface DocumentFile {
  id: string;
  name: string;
  type: string;
  bytes: number;
  createdBy: string;
  createdAt: Date;
}

export interface DocumentFiles {
  of(documentId: string): Promise<DocumentFile[]>;
  /** Attaching the same file again changes nothing. */
  attach(documentId: string, file: { name: string; data: string }, actor: string): Promise<void>;
  read(documentId: string, fileId: string): Promise<{ name: string; data: Uint8Array }>;
}

const MAX_FILES = 5;

export function createDocumentFiles(tools: { db: Database; clock: Clock; randomBytes: RandomBytes }): DocumentFiles {
  const { db, clock, randomBytes } = tools;
  const record = createChangeRecorder(tools, 'document');
  return {
    of: (documentId) => FILES_OF_DOCUMENT.rows(db, [documentId]),
    async attach(documentId, file, actor) {
      const data = decodeAttached(file.data, 'data');
      const type = paperType(data);
      if (type === undefined) throw invalidRequest('data', accountingReasons.notAPaper);
      const digest = createHash('sha256').update(data).digest('hex');
      const name = safeFileName(file.name);
      await db.transaction(async (tx) => {
        await lockUntilCommit(tx, `files of ${documentId}`);
        const paper = await DOCUMENT_THERE.first(tx, [documentId]);
        if (!paper) noSuch('book document', documentId);
        const kept = await DIGESTS_OF_FILES.rows(tx, [documentId]);
        if (kept.some((one) => one.digest === digest)) return;
        if (kept.length >= MAX_FILES)
          throw new GatewayError('conflict', { reason: accountingReasons.tooManyFiles(MAX_FILES) });
        const nowMs = clock.now();
        const id = makeId('dcf', nowMs, randomBytes);
        await INSERT_FILE.run(tx, [id, documentId, name, type, digest, data, actor, new Date(nowMs)]);
        await record(tx, actor, 'document.attach', documentId, { file: id, name });
      });
    },
    async read(documentId, fileId) {
      const file = await FILE_OF_DOCUMENT.first(db, [documentId, fileId]);
      return file ?? noSuch('attachment', fileId);
    },
  };
}
