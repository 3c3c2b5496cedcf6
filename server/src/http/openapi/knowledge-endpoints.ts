/** Knowledge bases of a key's account, as the document tells of them. */
import type { TSchema } from 'typebox';
import type { Text } from '../../core/errors.ts';
import {
  BaseChange,
  BaseShape,
  DocumentShape,
  NewBase,
  NewDocument,
  SearchOrder,
  SearchResult,
} from '../knowledge-shapes.ts';
import { closed, Deleted, PAGE_QUERY, pageOf } from './building-blocks.ts';
import type { EndpointDescription, Method } from './endpoint.ts';
import { RULES } from './public-endpoints.ts';

const root = '/api/v1/knowledge_bases';
const documents = `${root}/:id/documents`;

function endpoint(
  method: Method,
  path: string,
  operationId: string,
  summary: Text,
  result: TSchema,
  more: Partial<EndpointDescription> = {},
): EndpointDescription {
  const errors = path === root ? RULES : [...RULES, 'not_found' as const];
  return { method, path, operationId, tag: 'Knowledge bases', summary, result, errors, ...more };
}

const paged = { query: closed(PAGE_QUERY) };

export const KNOWLEDGE_ENDPOINTS: readonly EndpointDescription[] = [
  endpoint('POST', root, 'createKnowledgeBase', { fa: 'ساختن پایگاه دانش', en: 'Create a knowledge base' }, BaseShape, {
    body: NewBase,
    status: 201,
    example: { name: 'handbook' },
  }),
  endpoint(
    'GET',
    root,
    'listKnowledgeBases',
    { fa: 'پایگاه‌های دانش', en: 'List knowledge bases' },
    pageOf(BaseShape),
    paged,
  ),
  endpoint('GET', `${root}/:id`, 'getKnowledgeBase', { fa: 'یک پایگاه', en: 'One knowledge base' }, BaseShape),
  endpoint('PATCH', `${root}/:id`, 'renameKnowledgeBase', { fa: 'تغییر نام', en: 'Rename it' }, BaseShape, {
    body: BaseChange,
    example: { name: 'handbook 2' },
  }),
  endpoint('DELETE', `${root}/:id`, 'deleteKnowledgeBase', { fa: 'حذف پایگاه', en: 'Delete it' }, Deleted),
  endpoint(
    'POST',
    `${root}/:id/search`,
    'searchKnowledgeBase',
    { fa: 'جست‌وجو', en: 'Search its passages' },
    SearchResult,
    {
      body: SearchOrder,
      example: { query: 'مرخصی' },
    },
  ),
  endpoint('GET', documents, 'listDocuments', { fa: 'سندها', en: 'List documents' }, pageOf(DocumentShape), paged),
  endpoint(
    'POST',
    documents,
    'addDocument',
    { fa: 'افزودن سند', en: 'Add a document: text, https address, or a form with a file' },
    DocumentShape,
    {
      body: NewDocument,
      status: 202,
      example: { name: 'note', text: 'سلام' },
    },
  ),
  endpoint('GET', `${documents}/:document`, 'getDocument', { fa: 'یک سند', en: 'One document' }, DocumentShape),
  endpoint(
    'PUT',
    `${documents}/:document`,
    'replaceDocument',
    { fa: 'جایگزینی سند', en: 'Replace a document' },
    DocumentShape,
    {
      body: NewDocument,
      status: 202,
    },
  ),
  endpoint('DELETE', `${documents}/:document`, 'deleteDocument', { fa: 'حذف سند', en: 'Delete a document' }, Deleted),
];
