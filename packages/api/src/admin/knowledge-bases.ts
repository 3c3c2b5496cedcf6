/**
 * `/api/admin/knowledge_bases`, described: every account's bases, for the operator. The audit log names who made each
 * change.
 */
import Type from 'typebox';
import { STAFF_READ, scoped, staff } from '../access.ts';
import { Deleted, inputObject, PAGE_QUERY, pageOf } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import {
  BaseChange,
  BaseSchema,
  DocumentSchema,
  NewBaseOfAccount,
  NewDocument,
  SearchOrderSchema,
  SearchResult,
  UPLOAD_TOO,
} from '../schemas/knowledge-schemas.ts';

const tag = 'Knowledge bases';
const path = '/api/admin/knowledge_bases';
const documents = `${path}/:id/documents`;
const one = `${documents}/:document`;
const missing = ['not_found'] as const;
const WRITE = scoped('accounts', staff('owner', 'support'));

export const createAccountKnowledgeBase = describeRoute({
  method: 'POST',
  path,
  operationId: 'createAccountKnowledgeBase',
  tag,
  summary: { fa: 'ساختن پایگاه دانش برای یک حساب', en: 'Create a knowledge base for an account' },
  body: NewBaseOfAccount,
  result: BaseSchema,
  status: 201,
  errors: missing,
  example: { account_id: 'acme', name: 'Handbook' },
  access: WRITE,
});

export const listAllKnowledgeBases = describeRoute({
  method: 'GET',
  path,
  operationId: 'listAllKnowledgeBases',
  tag,
  summary: { fa: 'فهرست پایگاه‌های دانش', en: 'List knowledge bases, newest first' },
  query: inputObject({ account_id: Type.Optional(Type.String({ maxLength: 64 })), ...PAGE_QUERY }),
  result: pageOf(BaseSchema),
  access: STAFF_READ,
});

export const getAnyKnowledgeBase = describeRoute({
  method: 'GET',
  path: `${path}/:id`,
  operationId: 'getAnyKnowledgeBase',
  tag,
  summary: { fa: 'دیدن پایگاه دانش', en: 'Get a knowledge base' },
  result: BaseSchema,
  errors: missing,
  access: STAFF_READ,
});

export const renameAnyKnowledgeBase = describeRoute({
  method: 'PATCH',
  path: `${path}/:id`,
  operationId: 'renameAnyKnowledgeBase',
  tag,
  summary: { fa: 'تغییر نام پایگاه دانش', en: 'Rename a knowledge base' },
  body: BaseChange,
  result: BaseSchema,
  errors: missing,
  access: WRITE,
});

export const deleteAnyKnowledgeBase = describeRoute({
  method: 'DELETE',
  path: `${path}/:id`,
  operationId: 'deleteAnyKnowledgeBase',
  tag,
  summary: { fa: 'حذف پایگاه دانش با همهٔ سندهایش', en: 'Delete a knowledge base with all its documents' },
  result: Deleted,
  errors: missing,
  access: WRITE,
});

export const searchAnyKnowledgeBase = describeRoute({
  method: 'POST',
  path: `${path}/:id/search`,
  operationId: 'searchAnyKnowledgeBase',
  tag,
  summary: { fa: 'جست‌وجو در پایگاه دانش', en: 'Search a knowledge base' },
  body: SearchOrderSchema,
  result: SearchResult,
  errors: missing,
  example: { query: 'مرخصی استحقاقی چند روز است؟' },
  access: WRITE,
});

export const addAnyKnowledgeDocument = describeRoute({
  method: 'POST',
  path: documents,
  operationId: 'addAnyKnowledgeDocument',
  tag,
  summary: { fa: 'افزودن سند', en: 'Add a document' },
  description: UPLOAD_TOO,
  body: NewDocument,
  result: DocumentSchema,
  status: 202,
  errors: missing,
  example: { name: 'leave.md', format: 'markdown', text: '# Leave\n26 days a year.' },
  access: WRITE,
});

export const listAnyKnowledgeDocuments = describeRoute({
  method: 'GET',
  path: documents,
  operationId: 'listAnyKnowledgeDocuments',
  tag,
  summary: { fa: 'فهرست سندها', en: 'List documents, newest first' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(DocumentSchema),
  errors: missing,
  access: STAFF_READ,
});

export const getAnyKnowledgeDocument = describeRoute({
  method: 'GET',
  path: one,
  operationId: 'getAnyKnowledgeDocument',
  tag,
  summary: { fa: 'دیدن سند و وضعیت آن', en: 'Get a document and its state' },
  result: DocumentSchema,
  errors: missing,
  access: STAFF_READ,
});

export const replaceAnyKnowledgeDocument = describeRoute({
  method: 'PUT',
  path: one,
  operationId: 'replaceAnyKnowledgeDocument',
  tag,
  summary: { fa: 'جایگزین کردن محتوای سند', en: "Replace a document's content" },
  description: UPLOAD_TOO,
  body: NewDocument,
  result: DocumentSchema,
  status: 202,
  errors: [...missing, 'conflict'],
  access: WRITE,
});

export const deleteAnyKnowledgeDocument = describeRoute({
  method: 'DELETE',
  path: one,
  operationId: 'deleteAnyKnowledgeDocument',
  tag,
  summary: { fa: 'حذف سند', en: 'Delete a document' },
  result: Deleted,
  errors: missing,
  access: WRITE,
});
