/** `/api/admin/knowledge_bases`: every account's bases, for the operator. Files are uploaded with a customer's key; texts and addresses here too. */
import Type from 'typebox';
import type { AccountService } from '../../accounts/index.ts';
import type { KnowledgeService, Reach } from '../../knowledge/index.ts';
import {
  BaseChange,
  BaseShape,
  baseView,
  DocumentShape,
  documentView,
  NewBaseOfAccount,
  NewDocument,
  SearchOrder,
  SearchResult,
  searchView,
} from '../knowledge-shapes.ts';
import { closed, Deleted, PAGE_QUERY, page, pageOf } from '../openapi/building-blocks.ts';
import { readDocumentBody } from '../receive-document.ts';
import type { RegisterOperatorRoute } from './operator-routes.ts';

const EVERYWHERE: Reach = { accountId: null, baseIds: null };
const tag = 'Knowledge bases';
const path = '/api/admin/knowledge_bases';
const documents = `${path}/:id/documents`;
const one = `${documents}/:document`;
const missing = ['not_found'] as const;

export function knowledgeBases(
  register: RegisterOperatorRoute,
  service: KnowledgeService,
  accounts: AccountService,
): void {
  register({
    method: 'POST',
    path,
    operationId: 'createAccountKnowledgeBase',
    tag,
    summary: { fa: 'ساختن پایگاه دانش برای یک حساب', en: 'Create a knowledge base for an account' },
    body: NewBaseOfAccount,
    result: BaseShape,
    status: 201,
    errors: missing,
    example: { account_id: 'acme', name: 'Handbook' },
    run: async ({ body }) => {
      const { id } = await accounts.get(body.account_id);
      const embeddingModel = body.embedding_model ?? null;
      return baseView(await service.createBase({ accountId: id, baseIds: null }, { name: body.name, embeddingModel }));
    },
  });
  register({
    method: 'GET',
    path,
    operationId: 'listAllKnowledgeBases',
    tag,
    summary: { fa: 'فهرست پایگاه‌های دانش', en: 'List knowledge bases, newest first' },
    query: closed({ account_id: Type.Optional(Type.String({ maxLength: 64 })), ...PAGE_QUERY }),
    result: pageOf(BaseShape),
    run: async ({ query }) => {
      const { items, next } = await service.listBases({ accountId: query.account_id ?? null, baseIds: null }, query);
      return page(items.map(baseView), next);
    },
  });
  register({
    method: 'GET',
    path: `${path}/:id`,
    operationId: 'getAnyKnowledgeBase',
    tag,
    summary: { fa: 'دیدن پایگاه دانش', en: 'Get a knowledge base' },
    result: BaseShape,
    errors: missing,
    run: async ({ params }) => baseView(await service.getBase(EVERYWHERE, params['id'] ?? '')),
  });
  register({
    method: 'PATCH',
    path: `${path}/:id`,
    operationId: 'renameAnyKnowledgeBase',
    tag,
    summary: { fa: 'تغییر نام پایگاه دانش', en: 'Rename a knowledge base' },
    body: BaseChange,
    result: BaseShape,
    errors: missing,
    run: async ({ params, body }) => baseView(await service.renameBase(EVERYWHERE, params['id'] ?? '', body.name)),
  });
  register({
    method: 'DELETE',
    path: `${path}/:id`,
    operationId: 'deleteAnyKnowledgeBase',
    tag,
    summary: { fa: 'حذف پایگاه دانش با همهٔ سندهایش', en: 'Delete a knowledge base with all its documents' },
    result: Deleted,
    errors: missing,
    run: async ({ params }) => {
      await service.deleteBase(EVERYWHERE, params['id'] ?? '');
      return { id: params['id'], deleted: true };
    },
  });
  register({
    method: 'POST',
    path: `${path}/:id/search`,
    operationId: 'searchAnyKnowledgeBase',
    tag,
    summary: { fa: 'جست‌وجو در پایگاه دانش', en: 'Search a knowledge base' },
    body: SearchOrder,
    result: SearchResult,
    errors: missing,
    example: { query: 'مرخصی استحقاقی چند روز است؟' },
    run: async ({ params, body }) =>
      searchView(await service.search(EVERYWHERE, params['id'] ?? '', body.query, body.limit ?? 10)),
  });
  documentRoutes(register, service);
}

function documentRoutes(register: RegisterOperatorRoute, service: KnowledgeService): void {
  register({
    method: 'POST',
    path: documents,
    operationId: 'addAnyKnowledgeDocument',
    tag,
    summary: { fa: 'افزودن سند از متن یا نشانی', en: 'Add a document from a text or an address' },
    body: NewDocument,
    result: DocumentShape,
    status: 202,
    errors: missing,
    example: { name: 'leave.md', format: 'markdown', text: '# Leave\n26 days a year.' },
    run: async ({ params, body, language }) => {
      const { document } = await service.addDocument(EVERYWHERE, params['id'] ?? '', readDocumentBody(body));
      return documentView(document, language);
    },
  });
  register({
    method: 'GET',
    path: documents,
    operationId: 'listAnyKnowledgeDocuments',
    tag,
    summary: { fa: 'فهرست سندها', en: 'List documents, newest first' },
    query: closed(PAGE_QUERY),
    result: pageOf(DocumentShape),
    errors: missing,
    run: async ({ params, query, language }) => {
      const { items, next } = await service.listDocuments(EVERYWHERE, params['id'] ?? '', query);
      return page(
        items.map((item) => documentView(item, language)),
        next,
      );
    },
  });
  register({
    method: 'GET',
    path: one,
    operationId: 'getAnyKnowledgeDocument',
    tag,
    summary: { fa: 'دیدن سند و وضع آن', en: 'Get a document and its state' },
    result: DocumentShape,
    errors: missing,
    run: async ({ params, language }) =>
      documentView(await service.getDocument(EVERYWHERE, params['id'] ?? '', params['document'] ?? ''), language),
  });
  register({
    method: 'PUT',
    path: one,
    operationId: 'replaceAnyKnowledgeDocument',
    tag,
    summary: { fa: 'جایگزین کردن محتوای سند', en: "Replace a document's content" },
    body: NewDocument,
    result: DocumentShape,
    status: 202,
    errors: [...missing, 'conflict'],
    run: async ({ params, body, language }) => {
      const given = readDocumentBody(body);
      return documentView(
        await service.replaceDocument(EVERYWHERE, params['id'] ?? '', params['document'] ?? '', given),
        language,
      );
    },
  });
  register({
    method: 'DELETE',
    path: one,
    operationId: 'deleteAnyKnowledgeDocument',
    tag,
    summary: { fa: 'حذف سند', en: 'Delete a document' },
    result: Deleted,
    errors: missing,
    run: async ({ params }) => {
      await service.deleteDocument(EVERYWHERE, params['id'] ?? '', params['document'] ?? '');
      return { id: params['document'], deleted: true };
    },
  });
}
