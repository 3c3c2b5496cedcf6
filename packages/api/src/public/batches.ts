/** Files, batches, and batches of messages, described. */
import Type from 'typebox';
import { describeRoute } from '../describe-route.ts';
import {
  BatchList,
  BatchObject,
  FileDeleted,
  FileForm,
  FileList,
  FileObject,
  MessageBatch,
  MessageBatchDeleted,
  MessageBatchList,
  NewBatchBody,
  NewMessageBatch,
} from '../schemas/batch-schemas.ts';
import { RULES } from './usual-errors.ts';

const tag = 'Batches';
const files = { guard: 'key', endpoint: 'files' } as const;
const access = { guard: 'key', endpoint: 'batches' } as const;
const errors = [...RULES, 'invalid_request', 'not_found'] as const;
const MESSAGES = '/api/v1/messages/batches';

export const createFile = describeRoute({
  method: 'POST',
  path: '/api/v1/files',
  access: files,
  operationId: 'createFile',
  tag,
  summary: { fa: 'آپلود فایل', en: 'Upload a file' },
  description: 'The requests of a batch as JSONL. The file is kept for 30 days, or as long as `expires_after` says.',
  body: FileForm,
  bodyType: 'multipart/form-data',
  result: FileObject,
  errors: [...RULES, 'invalid_request'],
});

export const listFiles = describeRoute({
  method: 'GET',
  path: '/api/v1/files',
  access: files,
  operationId: 'listFiles',
  tag,
  summary: { fa: 'فهرست فایل‌ها', en: 'List files' },
  query: Type.Object({
    after: Type.Optional(Type.String({ maxLength: 200, description: 'The last id of the page before.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    order: Type.Optional(Type.Enum(['asc', 'desc'])),
    purpose: Type.Optional(Type.String({ maxLength: 64 })),
  }),
  result: FileList,
  errors: RULES,
});

export const getFile = describeRoute({
  method: 'GET',
  path: '/api/v1/files/:id',
  access: files,
  operationId: 'getFile',
  tag,
  summary: { fa: 'مشخصات فایل', en: 'A file' },
  result: FileObject,
  errors,
});

export const getFileContent = describeRoute({
  method: 'GET',
  path: '/api/v1/files/:id/content',
  access: files,
  operationId: 'getFileContent',
  tag,
  summary: { fa: 'محتوای فایل', en: 'The content of a file' },
  result: Type.String({ description: 'As it was uploaded; of a batch, a JSON object in each line.' }),
  resultType: 'application/octet-stream',
  errors,
});

export const deleteFile = describeRoute({
  method: 'DELETE',
  path: '/api/v1/files/:id',
  access: files,
  operationId: 'deleteFile',
  tag,
  summary: { fa: 'حذف فایل', en: 'Delete a file' },
  result: FileDeleted,
  errors: [...errors, 'conflict'],
});

export const createBatch = describeRoute({
  method: 'POST',
  path: '/api/v1/batches',
  access,
  operationId: 'createBatch',
  tag,
  summary: { fa: 'ساختن دسته از فایل', en: 'Make a batch of a file' },
  description:
    'Every line is asked within 24 hours, under the rules, limits and caps of this key, and charged like any request, at the percentage of the price that `svc.price_percent` tells.',
  body: NewBatchBody,
  result: BatchObject,
  errors: [...RULES, 'invalid_request', 'rate_limited'],
  example: { input_file_id: '{id}', endpoint: '/v1/chat/completions', completion_window: '24h' },
});

export const listBatches = describeRoute({
  method: 'GET',
  path: '/api/v1/batches',
  access,
  operationId: 'listBatches',
  tag,
  summary: { fa: 'فهرست دسته‌ها', en: 'List batches' },
  query: Type.Object({
    after: Type.Optional(Type.String({ maxLength: 200, description: 'The last id of the page before.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  }),
  result: BatchList,
  errors: RULES,
});

export const getBatch = describeRoute({
  method: 'GET',
  path: '/api/v1/batches/:id',
  access,
  operationId: 'getBatch',
  tag,
  summary: { fa: 'وضعیت دسته', en: 'A batch and its progress' },
  result: BatchObject,
  errors,
});

export const cancelBatch = describeRoute({
  method: 'POST',
  path: '/api/v1/batches/:id/cancel',
  access,
  operationId: 'cancelBatch',
  tag,
  summary: { fa: 'لغو دسته', en: 'Cancel a batch' },
  description:
    'What runs is finished and charged; what has not begun costs nothing. One that has ended is answered as it is.',
  result: BatchObject,
  errors,
});

export const createMessageBatch = describeRoute({
  method: 'POST',
  path: MESSAGES,
  access,
  operationId: 'createMessageBatch',
  tag,
  summary: { fa: 'ساختن دستهٔ پیام‌ها', en: 'Make a batch of messages' },
  body: NewMessageBatch,
  result: MessageBatch,
  errors: [...RULES, 'invalid_request', 'rate_limited'],
  example: {
    requests: [
      {
        custom_id: 'first',
        params: { model: 'sandbox/echo', max_tokens: 50, messages: [{ role: 'user', content: 'سلام' }] },
      },
    ],
  },
});

export const listMessageBatches = describeRoute({
  method: 'GET',
  path: MESSAGES,
  access,
  operationId: 'listMessageBatches',
  tag,
  summary: { fa: 'فهرست دسته‌های پیام', en: 'List batches of messages' },
  query: Type.Object({
    after_id: Type.Optional(Type.String({ maxLength: 200 })),
    before_id: Type.Optional(Type.String({ maxLength: 200 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  }),
  result: MessageBatchList,
  errors: RULES,
});

export const getMessageBatch = describeRoute({
  method: 'GET',
  path: `${MESSAGES}/:id`,
  access,
  operationId: 'getMessageBatch',
  tag,
  summary: { fa: 'وضعیت دستهٔ پیام‌ها', en: 'A batch of messages' },
  result: MessageBatch,
  errors,
});

export const getMessageBatchResults = describeRoute({
  method: 'GET',
  path: `${MESSAGES}/:id/results`,
  access,
  operationId: 'getMessageBatchResults',
  tag,
  summary: { fa: 'نتیجه‌های دستهٔ پیام‌ها', en: 'The results of a batch of messages' },
  result: Type.String({ description: 'A JSON object in each line.' }),
  resultType: 'application/x-jsonl',
  errors: [...errors, 'conflict'],
});

export const cancelMessageBatch = describeRoute({
  method: 'POST',
  path: `${MESSAGES}/:id/cancel`,
  access,
  operationId: 'cancelMessageBatch',
  tag,
  summary: { fa: 'لغو دستهٔ پیام‌ها', en: 'Cancel a batch of messages' },
  result: MessageBatch,
  errors,
});

export const deleteMessageBatch = describeRoute({
  method: 'DELETE',
  path: `${MESSAGES}/:id`,
  access,
  operationId: 'deleteMessageBatch',
  tag,
  summary: { fa: 'حذف دستهٔ پیام‌ها', en: 'Delete a batch of messages that has ended' },
  result: MessageBatchDeleted,
  errors: [...errors, 'conflict'],
});
