/** The account's knowledge bases, described. */

import { Deleted, inputObject, PAGE_QUERY, pageOf } from '../../openapi/building-blocks.ts';
import { member } from '../../routes/access.ts';
import { describeRoute } from '../../routes/describe-route.ts';
import {
  BaseChange,
  BaseSchema,
  DocumentSchema,
  NewBase,
  NewDocument,
  PassageSchema,
  SearchOrderSchema,
  SearchResult,
  UPLOAD_TOO,
} from '../../schemas/knowledge-schemas.ts';

const tag = 'Knowledge bases of the account';
const path = '/api/console/knowledge-bases';
const READ = member('knowledge', 'read', 'owner', 'admin', 'developer', 'viewer');
const WRITE = member('knowledge', 'write', 'owner', 'admin', 'developer');
const errors = ['not_found'] as const;

export const listBases = describeRoute({
  method: 'GET',
  path,
  operationId: 'listOwnBases',
  tag,
  access: READ,
  summary: { fa: 'پایگاه‌های دانش', en: 'Knowledge bases' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(BaseSchema),
});

export const createBase = describeRoute({
  method: 'POST',
  path,
  operationId: 'createOwnBase',
  tag,
  access: WRITE,
  summary: { fa: 'ساختن پایگاه دانش', en: 'Create a knowledge base' },
  body: NewBase,
  status: 201,
  result: BaseSchema,
  errors: ['conflict'],
  example: { name: 'راهنمای کارکنان' },
});

export const getBase = describeRoute({
  method: 'GET',
  path: `${path}/:id`,
  operationId: 'getOwnBase',
  tag,
  access: READ,
  summary: { fa: 'یک پایگاه دانش', en: 'One knowledge base' },
  result: BaseSchema,
  errors,
});

export const renameBase = describeRoute({
  method: 'PATCH',
  path: `${path}/:id`,
  operationId: 'renameOwnBase',
  tag,
  access: WRITE,
  summary: { fa: 'تغییر نام پایگاه دانش', en: 'Rename a knowledge base' },
  body: BaseChange,
  result: BaseSchema,
  errors,
});

export const deleteBase = describeRoute({
  method: 'DELETE',
  path: `${path}/:id`,
  operationId: 'deleteOwnBase',
  tag,
  access: WRITE,
  summary: { fa: 'حذف پایگاه دانش با همهٔ سندهایش', en: 'Delete a knowledge base with all its documents' },
  result: Deleted,
  errors,
});

export const searchBase = describeRoute({
  method: 'POST',
  path: `${path}/:id/search`,
  operationId: 'searchOwnBase',
  tag,
  access: READ,
  summary: { fa: 'جست‌وجو با امتیاز', en: 'Search, with scores' },
  body: SearchOrderSchema,
  result: SearchResult,
  errors,
  example: { query: 'مرخصی استحقاقی چند روز است؟' },
});

export const listDocuments = describeRoute({
  method: 'GET',
  path: `${path}/:id/documents`,
  operationId: 'listOwnDocuments',
  tag,
  access: READ,
  summary: { fa: 'سندها', en: 'Documents' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(DocumentSchema),
  errors,
});

export const addDocument = describeRoute({
  method: 'POST',
  path: `${path}/:id/documents`,
  operationId: 'addOwnDocument',
  tag,
  access: WRITE,
  summary: { fa: 'افزودن سند', en: 'Add a document' },
  description: UPLOAD_TOO,
  body: NewDocument,
  status: 202,
  result: DocumentSchema,
  errors,
});

export const getDocument = describeRoute({
  method: 'GET',
  path: `${path}/:id/documents/:document`,
  operationId: 'getOwnDocument',
  tag,
  access: READ,
  summary: { fa: 'یک سند و وضع آن', en: 'One document and its state' },
  result: DocumentSchema,
  errors,
});

export const listPassages = describeRoute({
  method: 'GET',
  path: `${path}/:id/documents/:document/passages`,
  operationId: 'listOwnPassages',
  tag,
  access: READ,
  summary: { fa: 'بندهای یک سند، همان‌گونه که بریده شده‌اند', en: 'The passages of a document, as they were cut' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(PassageSchema),
  errors,
});

export const replaceDocument = describeRoute({
  method: 'PUT',
  path: `${path}/:id/documents/:document`,
  operationId: 'replaceOwnDocument',
  tag,
  access: WRITE,
  summary: { fa: 'جایگزین کردن محتوای سند', en: "Replace a document's content" },
  description: UPLOAD_TOO,
  body: NewDocument,
  status: 202,
  result: DocumentSchema,
  errors: ['not_found', 'conflict'],
});

export const deleteDocument = describeRoute({
  method: 'DELETE',
  path: `${path}/:id/documents/:document`,
  operationId: 'deleteOwnDocument',
  tag,
  access: WRITE,
  summary: { fa: 'حذف سند', en: 'Delete a document' },
  result: Deleted,
  errors,
});
