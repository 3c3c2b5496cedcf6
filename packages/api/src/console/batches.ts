/** The account's batches, described: progress, cancelling, downloads. */
import Type from 'typebox';
import { member } from '../access.ts';
import { inputObject, nullable, PAGE_QUERY, pageOf, responseObject, Time, Toman } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';

const tag = 'Batches of the account';
const path = '/api/console/batches';
const READ = member('requests', 'read', 'owner', 'admin', 'developer', 'viewer');
const WRITE = member('requests', 'write', 'owner', 'admin', 'developer');
const errors = ['not_found'] as const;

const OwnBatch = responseObject(
  {
    object: Type.Literal('batch'),
    id: Type.String(),
    protocol: Type.Enum(['openai', 'anthropic']),
    endpoint: Type.String(),
    key_id: Type.String(),
    model: nullable(Type.String({ description: 'Where all its requests name the same.' })),
    state: Type.Enum(['validating', 'in_progress', 'cancelling', 'completed', 'failed', 'expired', 'cancelled']),
    total: Type.Integer(),
    succeeded: Type.Integer(),
    failed: Type.Integer(),
    cancelled: Type.Integer(),
    expired: Type.Integer(),
    input_tokens: Type.Number(),
    output_tokens: Type.Number(),
    cost: Toman,
    price_percent: Type.Integer(),
    errors: Type.Array(
      responseObject({
        code: Type.String(),
        line: nullable(Type.Integer()),
        message: responseObject({ fa: Type.String(), en: Type.String() }),
      }),
      { description: 'Why its file was refused.' },
    ),
    downloads: Type.Array(Type.Enum(['input', 'output', 'errors'])),
    created_at: Time,
    started_at: nullable(Time),
    ended_at: nullable(Time),
    expires_at: Time,
    delete_at: nullable(Time),
  },
  'OwnBatch',
);

export const listOwnBatches = describeRoute({
  method: 'GET',
  path,
  operationId: 'listOwnBatches',
  tag,
  access: READ,
  summary: { fa: 'دسته‌های حساب', en: 'The batches of the account' },
  query: inputObject(PAGE_QUERY),
  result: pageOf(OwnBatch),
});

export const getOwnBatch = describeRoute({
  method: 'GET',
  path: `${path}/:id`,
  operationId: 'getOwnBatch',
  tag,
  access: READ,
  summary: { fa: 'یک دسته', en: 'One batch' },
  result: OwnBatch,
  errors,
});

export const cancelOwnBatch = describeRoute({
  method: 'POST',
  path: `${path}/:id/cancel`,
  operationId: 'cancelOwnBatch',
  tag,
  access: WRITE,
  summary: { fa: 'لغو دسته', en: 'Cancel a batch' },
  result: OwnBatch,
  errors,
});

export const downloadOwnBatch = describeRoute({
  method: 'GET',
  path: `${path}/:id/files/:file`,
  operationId: 'downloadOwnBatch',
  tag,
  access: READ,
  summary: { fa: 'دریافت فایل دسته', en: 'Download a file of a batch' },
  params: { file: '`input`, `output` or `errors`.' },
  result: Type.String({ description: 'A JSON object in each line.' }),
  resultType: 'application/octet-stream',
  errors,
});
