/** What people do with knowledge bases. Whoever may not see a base is told what they would be told if it did not exist. */
import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import { reasons } from '../core/reasons.ts';
import { checkName, type KeySnapshot, refuseCursor } from '../keys/index.ts';
import type { RecordChange } from '../platform/admin-trail.ts';
import { type Database, isUniqueViolation, type Queryable } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage } from '../platform/db/pages.ts';
import { JOB_TOPIC } from './ingest/ingester.ts';
import type { ScoredPassage } from './retrieve/fuse.ts';
import type { Search } from './retrieve/search.ts';
import type { KnowledgeLimits } from './settings.ts';
import * as bases from './store/base-rows.ts';
import * as documents from './store/document-rows.ts';
import { type CutOut, passagesOfDocument, removeDocument } from './store/passage-rows.ts';

/** Who asks: an account with the bases its key may use, or the operator. */
export interface Reach {
  /** Null: the operator, who sees every account. */
  accountId: string | null;
  /** Null: every base of the account. */
  baseIds: string[] | null;
  key?: KeySnapshot;
  /** The operator as the trail of changes names them; what an account does with its own bases leaves no such trace. */
  actor?: string;
}

export interface DocumentInput {
  name: string;
  mediaType: string | null;
  source: 'upload' | 'text' | 'url';
  /** Null for an address: it is fetched later. */
  content: Uint8Array | null;
  url: string | null;
}

export interface KnowledgeService {
  createBase(
    reach: Reach & { accountId: string },
    input: { name: string; embeddingModel: string | null },
  ): Promise<bases.KnowledgeBase>;
  listBases(reach: Reach, page: PageRequest): Promise<Page<bases.KnowledgeBase>>;
  getBase(reach: Reach, id: string): Promise<bases.KnowledgeBase>;
  renameBase(reach: Reach, id: string, name: string): Promise<bases.KnowledgeBase>;
  deleteBase(reach: Reach, id: string): Promise<void>;
  /** `changed` is false when the very same content is there already. */
  addDocument(
    reach: Reach,
    baseId: string,
    input: DocumentInput,
  ): Promise<{ document: documents.KnowledgeDocument; changed: boolean }>;
  replaceDocument(reach: Reach, baseId: string, id: string, input: DocumentInput): Promise<documents.KnowledgeDocument>;
  listDocuments(reach: Reach, baseId: string, page: PageRequest): Promise<Page<documents.KnowledgeDocument>>;
  getDocument(reach: Reach, baseId: string, id: string): Promise<documents.KnowledgeDocument>;
  /** In their order in the document; `after` is the place of the last one seen. */
  listPassages(reach: Reach, baseId: string, id: string, page: PageRequest): Promise<Page<CutOut>>;
  deleteDocument(reach: Reach, baseId: string, id: string): Promise<void>;
  search(reach: Reach, baseId: string, question: string, limit: number): Promise<ScoredPassage[]>;
  /** Differs from the last one when a document of the account came, went, or got further. */
  changeMark(accountId: string): Promise<string>;
}

export interface KnowledgeServiceOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  limits: KnowledgeLimits;
  search: Search;
  record: RecordChange;
  /** Throws when the model cannot make vectors for this account. */
  checkEmbeddingModel(model: string, key: KeySnapshot | undefined): void;
}

export function createKnowledgeService(options: KnowledgeServiceOptions): KnowledgeService {
  const { db, clock, randomBytes, limits } = options;
  const now = () => new Date(clock.now());

  async function visible(from: Queryable, reach: Reach, id: string): Promise<bases.KnowledgeBase> {
    const base = await bases.selectBase(from, id);
    const seen = base && (reach.accountId === null || base.accountId === reach.accountId);
    if (!base || !seen || (reach.baseIds !== null && !reach.baseIds.includes(id))) throw noSuchBase(id);
    return base;
  }

  async function trace(tx: Queryable, { actor }: Reach, action: string, subject: string, detail: JsonObject) {
    if (actor !== undefined) await options.record(tx, actor, action, subject, detail);
  }

  async function store(reach: Reach, baseId: string, input: DocumentInput, replaced: string | undefined) {
    const wanted = checkContent(input, limits);
    const result = await db
      .transaction(async (tx) => {
        const base = await visible(tx, reach, baseId);
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
        await trace(tx, reach, action, id, { base: baseId, name: wanted.name, source: wanted.source });
        return { id, changed: true };
      })
      .catch((error: unknown) => refuseTaken(error));
    const document = await documents.selectDocument(db, baseId, result.id);
    if (!document) throw noSuchDocument(result.id);
    return { document, changed: result.changed };
  }

  return {
    createBase: (reach, { name, embeddingModel }) =>
      db.transaction(async (tx) => {
        // A key of named bases could not even see what it made.
        if (reach.baseIds !== null) throw new GatewayError('endpoint_not_allowed', { reason: limitedKey });
        if (embeddingModel !== null) options.checkEmbeddingModel(embeddingModel, reach.key);
        if ((await bases.countBases(tx, reach.accountId)) >= limits.bases) throw limitReached('bases', limits.bases);
        const id = makeId('kb', clock.now(), randomBytes);
        await bases.insertBase(tx, {
          id,
          accountId: reach.accountId,
          name: checkName(name),
          embeddingModel,
          createdAt: now(),
        });
        await trace(tx, reach, 'knowledge_base.create', id, { account: reach.accountId, name, embeddingModel });
        return visible(tx, reach, id);
      }),
    async listBases(reach, page) {
      return bases.selectBases(db, reach.accountId, reach.baseIds, startOfPage(page) ?? refuseCursor());
    },
    getBase: (reach, id) => visible(db, reach, id),
    renameBase: (reach, id, name) =>
      db.transaction(async (tx) => {
        await visible(tx, reach, id);
        await bases.renameBase(tx, id, checkName(name), now());
        await trace(tx, reach, 'knowledge_base.update', id, { name });
        return visible(tx, reach, id);
      }),
    deleteBase: (reach, id) =>
      db.transaction(async (tx) => {
        const { accountId, name } = await visible(tx, reach, id);
        await tx.query('set local statement_timeout = 120000');
        await bases.deleteBase(tx, id);
        await trace(tx, reach, 'knowledge_base.delete', id, { account: accountId, name });
      }),
    addDocument: (reach, baseId, input) => store(reach, baseId, input, undefined),
    replaceDocument: async (reach, baseId, id, input) => (await store(reach, baseId, input, id)).document,
    async listDocuments(reach, baseId, page) {
      await visible(db, reach, baseId);
      return documents.selectDocuments(db, baseId, startOfPage(page) ?? refuseCursor());
    },
    async getDocument(reach, baseId, id) {
      await visible(db, reach, baseId);
      return (await documents.selectDocument(db, baseId, id)) ?? refuseDocument(id);
    },
    async listPassages(reach, baseId, id, { after, limit = 50 }) {
      await visible(db, reach, baseId);
      if (!(await documents.selectDocument(db, baseId, id))) refuseDocument(id);
      if (after !== undefined && !/^\d{1,9}$/.test(after)) refuseCursor();
      const rows = await passagesOfDocument(db, id, after === undefined ? -1 : Number(after), limit + 1);
      const items = rows.slice(0, limit);
      return { items, next: rows.length > limit ? String(items.at(-1)?.ordinal ?? '') : null };
    },
    deleteDocument: (reach, baseId, id) =>
      db.transaction(async (tx) => {
        await visible(tx, reach, baseId);
        await tx.query('select 1 from knowledge_base where id = $1 for update', [baseId]);
        const { name } = (await documents.selectDocument(tx, baseId, id, true)) ?? refuseDocument(id);
        await removeDocument(tx, baseId, id);
        await trace(tx, reach, 'knowledge_document.delete', id, { base: baseId, name });
      }),
    changeMark: (accountId) => documents.changeMark(db, accountId),
    async search(reach, baseId, question, limit) {
      await visible(db, reach, baseId);
      return options.search({ baseIds: [baseId], question, limit, ...(reach.key && { key: reach.key }) });
    },
  };
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

const WHAT = {
  bases: ['پایگاه دانش', 'knowledge bases'],
  documents: ['سند', 'documents'],
  bytes: ['بایت', 'bytes'],
} as const;

function limitReached(what: keyof typeof WHAT, limit: number): GatewayError {
  const [fa, en] = WHAT[what];
  return invalidRequest(undefined, reasons.custom(`حد مجاز ${limit} ${fa} است.`, `The limit is ${limit} ${en}.`), {
    detail: { limit: `knowledge_${what}`, limit_value: limit },
  });
}

function noSuchBase(id: string): GatewayError {
  return new GatewayError('not_found', {
    reason: reasons.custom(
      `پایگاه دانش «${id.slice(0, 64)}» پیدا نشد.`,
      `There is no knowledge base '${id.slice(0, 64)}'.`,
    ),
  });
}

function noSuchDocument(id: string): GatewayError {
  return new GatewayError('not_found', {
    reason: reasons.custom(`سند «${id.slice(0, 64)}» پیدا نشد.`, `There is no document '${id.slice(0, 64)}'.`),
  });
}

function refuseDocument(id: string): never {
  throw noSuchDocument(id);
}

const limitedKey = reasons.custom(
  'کلیدی که به پایگاه‌های نام‌برده محدود است نمی‌تواند پایگاه تازه بسازد.',
  'A key that is limited to named knowledge bases cannot create one.',
);

function refuseTaken(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  throw new GatewayError('conflict', {
    cause: error,
    reason: reasons.custom(
      'سند دیگری با همین نام یا محتوا در این پایگاه هست.',
      'Another document of this base has the same name or content.',
    ),
  });
}
