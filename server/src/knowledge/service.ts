/** What people do with knowledge bases. A base that a caller may not see is answered as if it did not exist. */
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import { checkName, type KeySnapshot, refuseCursor } from '../keys/index.ts';
import type { RecordChange } from '../platform/audit-log.ts';
import type { Database } from '../platform/db/index.ts';
import { type Page, type PageRequest, startOfPage } from '../platform/db/pages.ts';
import { type DocumentInput, keepDocument } from './keep-document.ts';
import { knowledgeReasons } from './reasons.ts';
import { limitReached, refuseDocument } from './refusals.ts';
import type { ScoredPassage } from './retrieve/fuse.ts';
import type { Search } from './retrieve/search.ts';
import type { KnowledgeLimits } from './settings.ts';
import * as bases from './store/base-rows.ts';
import { ALLOW_LONG_STATEMENTS } from './store/base-rows.ts';
import * as documents from './store/document-rows.ts';
import {
  type CutOut,
  type PassagePlace,
  passagesOfDocument,
  passagesThere,
  removeDocument,
} from './store/passage-rows.ts';
import { lockVisibleBase, type Reach, traceChange, visibleBase } from './visible-base.ts';

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
  /** Which of the passages that a receipt names can still be read. */
  passagesThere(places: readonly PassagePlace[]): Promise<boolean[]>;
  deleteDocument(reach: Reach, baseId: string, id: string): Promise<void>;
  search(reach: Reach, baseId: string, question: string, limit: number): Promise<ScoredPassage[]>;
  /** Changes when a document of the account was added, removed, or made progress. */
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

  return {
    createBase: (reach, { name, embeddingModel }) =>
      db.transaction(async (tx) => {
        // A key that is limited to named bases could not even see the new one.
        if (reach.baseIds !== null)
          throw new GatewayError('endpoint_not_allowed', { reason: knowledgeReasons.limitedKey });
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
        await traceChange(options, tx, reach, 'knowledge_base.create', id, {
          account: reach.accountId,
          name,
          embeddingModel,
        });
        return visibleBase(tx, reach, id);
      }),
    async listBases(reach, page) {
      return bases.selectBases(db, reach.accountId, reach.baseIds, startOfPage(page) ?? refuseCursor());
    },
    getBase: (reach, id) => visibleBase(db, reach, id),
    renameBase: (reach, id, name) =>
      db.transaction(async (tx) => {
        await visibleBase(tx, reach, id);
        await bases.renameBase(tx, id, checkName(name), now());
        await traceChange(options, tx, reach, 'knowledge_base.update', id, { name });
        return visibleBase(tx, reach, id);
      }),
    deleteBase: (reach, id) =>
      db.transaction(async (tx) => {
        const { accountId, name } = await visibleBase(tx, reach, id);
        await ALLOW_LONG_STATEMENTS.run(tx);
        await bases.deleteBase(tx, id);
        await traceChange(options, tx, reach, 'knowledge_base.delete', id, { account: accountId, name });
      }),
    addDocument: (reach, baseId, input) => keepDocument(options, reach, baseId, input, undefined),
    replaceDocument: async (reach, baseId, id, input) =>
      (await keepDocument(options, reach, baseId, input, id)).document,
    async listDocuments(reach, baseId, page) {
      await visibleBase(db, reach, baseId);
      return documents.selectDocuments(db, baseId, startOfPage(page) ?? refuseCursor());
    },
    async getDocument(reach, baseId, id) {
      await visibleBase(db, reach, baseId);
      return (await documents.selectDocument(db, baseId, id)) ?? refuseDocument(id);
    },
    async listPassages(reach, baseId, id, { after, limit = 50 }) {
      await visibleBase(db, reach, baseId);
      if (!(await documents.selectDocument(db, baseId, id))) refuseDocument(id);
      if (after !== undefined && !/^\d{1,9}$/.test(after)) refuseCursor();
      const rows = await passagesOfDocument(db, id, after === undefined ? -1 : Number(after), limit + 1);
      const items = rows.slice(0, limit);
      return { items, next: rows.length > limit ? String(items.at(-1)?.ordinal ?? '') : null };
    },
    passagesThere: (places) => passagesThere(db, places),
    deleteDocument: (reach, baseId, id) =>
      db.transaction(async (tx) => {
        await lockVisibleBase(tx, reach, baseId);
        const { name } = (await documents.selectDocument(tx, baseId, id, true)) ?? refuseDocument(id);
        await removeDocument(tx, baseId, id);
        await traceChange(options, tx, reach, 'knowledge_document.delete', id, { base: baseId, name });
      }),
    changeMark: (accountId) => documents.changeMark(db, accountId),
    async search(reach, baseId, question, limit) {
      await visibleBase(db, reach, baseId);
      return options.search({ baseIds: [baseId], question, limit, ...(reach.key && { key: reach.key }) });
    },
  };
}
