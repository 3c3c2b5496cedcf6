/** Knowledge bases of the own account, described. */

import { Deleted, inputObject, PAGE_QUERY, pageOf } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';
import {
  BaseChange,
  BaseSchema,
  DocumentSchema,
  NewBase,
  NewDocument,
  SearchOrderSchema,
  SearchResult,
  UPLOAD_TOO,
} from '../schemas/knowledge-schemas.ts';

const tag = 'Knowledge bases';
const access = { guard: 'key', endpoint: 'knowledge_bases' } as const;
const path = '/api/v1/knowledge_bases';
const documents = `${path}/:id/documents`;
const errors = ['key_expired', 'ip_not_allowed', 'endpoint_not_allowed', 'not_found'] as const;

export const createKnowledgeBase = describeRoute({
  method: 'POST',
  path,
  operationId: 'createKnowledgeBase',
  tag,
  access,
  errors,
  summary: { fa: 'ساختن پایگاه دانش', en: 'Create a knowledge base' },
  body: NewBase,
  result: BaseSchema,
  status: 201,
  example: { name: 'Handbook' },
});

export const listKnowledgeBases = describeRoute({
  method: 'GET',
  path,
  operationId: 'listKnowledgeBases',
  tag,
  access,
  errors,
  summary: { fa: 'فهرست پایگاه‌های دانش', en: 'List knowledge bases' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(BaseSchema),
});

export const getKnowledgeBase = describeRoute({
  method: 'GET',
  path: `${path}/:id`,
  operationId: 'getKnowledgeBase',
  tag,
  access,
  errors,
  summary: { fa: 'دیدن پایگاه دانش', en: 'Get a knowledge base' },
  result: BaseSchema,
});

export const renameKnowledgeBase = describeRoute({
  method: 'PATCH',
  path: `${path}/:id`,
  operationId: 'renameKnowledgeBase',
  tag,
  access,
  errors,
  summary: { fa: 'تغییر نام پایگاه دانش', en: 'Rename a knowledge base' },
  body: BaseChange,
  result: BaseSchema,
  example: { name: 'Handbook 2' },
});

export const deleteKnowledgeBase = describeRoute({
  method: 'DELETE',
  path: `${path}/:id`,
  operationId: 'deleteKnowledgeBase',
  tag,
  access,
  errors,
  summary: { fa: 'حذف پایگاه دانش', en: 'Delete a knowledge base with its documents' },
  result: Deleted,
});

export const searchKnowledgeBase = describeRoute({
  method: 'POST',
  path: `${path}/:id/search`,
  operationId: 'searchKnowledgeBase',
  tag,
  access,
  errors,
  summary: { fa: 'جست‌وجو در پایگاه دانش', en: 'Search a knowledge base' },
  body: SearchOrderSchema,
  result: SearchResult,
  example: { query: 'مرخصی' },
});

export const addKnowledgeDocument = describeRoute({
  method: 'POST',
  path: documents,
  operationId: 'addKnowledgeDocument',
  tag,
  access,
  errors,
  description: UPLOAD_TOO,
  summary: { fa: 'افزودن سند', en: 'Add a document; the same name replaces it' },
  body: NewDocument,
  result: DocumentSchema,
  status: 202,
  example: { name: 'leave.txt', text: 'هر کارمند ۲۶ روز مرخصی دارد.' },
});

export const listKnowledgeDocuments = describeRoute({
  method: 'GET',
  path: documents,
  operationId: 'listKnowledgeDocuments',
  tag,
  access,
  errors,
  summary: { fa: 'فهرست سندها', en: 'List documents' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(DocumentSchema),
});

export const getKnowledgeDocument = describeRoute({
  method: 'GET',
  path: `${documents}/:document`,
  operationId: 'getKnowledgeDocument',
  tag,
  access,
  errors,
  summary: { fa: 'دیدن سند و وضعیت آن', en: 'Get a document and its state' },
  result: DocumentSchema,
});

export const replaceKnowledgeDocument = describeRoute({
  method: 'PUT',
  path: `${documents}/:document`,
  operationId: 'replaceKnowledgeDocument',
  tag,
  access,
  errors,
  description: UPLOAD_TOO,
  summary: { fa: 'جایگزین کردن محتوای سند', en: "Replace a document's content" },
  body: NewDocument,
  result: DocumentSchema,
  status: 202,
  example: { name: 'leave.txt', text: 'هر کارمند ۳۰ روز مرخصی دارد.' },
});

export const deleteKnowledgeDocument = describeRoute({
  method: 'DELETE',
  path: `${documents}/:document`,
  operationId: 'deleteKnowledgeDocument',
  tag,
  access,
  errors,
  summary: { fa: 'حذف سند', en: 'Delete a document' },
  result: Deleted,
});
