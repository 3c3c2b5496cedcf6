/** `/api/admin/knowledge_bases`: every account's bases, for the operator. Each change leaves its trace with who made it. */
import Type from 'typebox';
import type { AccountService } from '../../accounts/index.ts';
import type { DocumentInput, Reach } from '../../knowledge/index.ts';
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
  UPLOAD_TOO,
} from '../knowledge-shapes.ts';
import { closed, Deleted, PAGE_QUERY, page, pageOf } from '../openapi/building-blocks.ts';
import { type KnowledgeEndpoints, readDocumentBody, receiveFile } from '../receive-document.ts';
import type { OperatorInput, RegisterOperatorRoute } from './operator-routes.ts';

const EVERYWHERE: Reach = { accountId: null, baseIds: null };
const tag = 'Knowledge bases';
const path = '/api/admin/knowledge_bases';
const documents = `${path}/:id/documents`;
const one = `${documents}/:document`;
const missing = ['not_found'] as const;

export function knowledgeBases(
  register: RegisterOperatorRoute,
  endpoints: KnowledgeEndpoints,
  accounts: AccountService,
): void {
  const { service } = endpoints;
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
    run: async ({ body, actor }) => {
      const { id } = await accounts.get(body.account_id);
      const embeddingModel = body.embedding_model ?? null;
      return baseView(
        await service.createBase({ accountId: id, baseIds: null, actor }, { name: body.name, embeddingModel }),
      );
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
    run: async ({ params, body, actor }) =>
      baseView(await service.renameBase({ ...EVERYWHERE, actor }, params['id'] ?? '', body.name)),
  });
  register({
    method: 'DELETE',
    path: `${path}/:id`,
    operationId: 'deleteAnyKnowledgeBase',
    tag,
    summary: { fa: 'حذف پایگاه دانش با همهٔ سندهایش', en: 'Delete a knowledge base with all its documents' },
    result: Deleted,
    errors: missing,
    run: async ({ params, actor }) => {
      await service.deleteBase({ ...EVERYWHERE, actor }, params['id'] ?? '');
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
  documentRoutes(register, endpoints);
}

type To = Pick<OperatorInput<unknown, unknown>, 'params' | 'actor' | 'language'>;

function documentRoutes(register: RegisterOperatorRoute, endpoints: KnowledgeEndpoints): void {
  const { service } = endpoints;
  const add = async ({ params, actor, language }: To, given: DocumentInput) => {
    const { document } = await service.addDocument({ ...EVERYWHERE, actor }, params['id'] ?? '', given);
    return documentView(document, language);
  };
  const replace = async ({ params, actor, language }: To, given: DocumentInput) => {
    const reach = { ...EVERYWHERE, actor };
    const replaced = await service.replaceDocument(reach, params['id'] ?? '', params['document'] ?? '', given);
    return documentView(replaced, language);
  };
  register({
    method: 'POST',
    path: documents,
    operationId: 'addAnyKnowledgeDocument',
    tag,
    summary: { fa: 'افزودن سند', en: 'Add a document' },
    description: UPLOAD_TOO,
    body: NewDocument,
    result: DocumentShape,
    status: 202,
    errors: missing,
    example: { name: 'leave.md', format: 'markdown', text: '# Leave\n26 days a year.' },
    run: async (input) => add(input, readDocumentBody(input.body, endpoints)),
    runForm: async (input, form) => {
      // Nobody should send megabytes to an address that is not there.
      await service.getBase(EVERYWHERE, input.params['id'] ?? '');
      return add(input, await receiveFile(form, endpoints));
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
    description: UPLOAD_TOO,
    body: NewDocument,
    result: DocumentShape,
    status: 202,
    errors: [...missing, 'conflict'],
    run: async (input) => replace(input, readDocumentBody(input.body, endpoints)),
    runForm: async (input, form) => {
      await service.getDocument(EVERYWHERE, input.params['id'] ?? '', input.params['document'] ?? '');
      return replace(input, await receiveFile(form, endpoints));
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
    run: async ({ params, actor }) => {
      await service.deleteDocument({ ...EVERYWHERE, actor }, params['id'] ?? '', params['document'] ?? '');
      return { id: params['document'], deleted: true };
    },
  });
}
