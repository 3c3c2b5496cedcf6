/** Files and batches, in the shapes of OpenAI and of Anthropic. */
import Type from 'typebox';
import { AnyObject } from '../bodies/parts.ts';
import { inputObject, nullable, responseObject } from '../building-blocks.ts';

/** Unix seconds, as OpenAI gives times. */
const Seconds = Type.Integer({ description: 'Unix time in seconds.' });

export const FileObject = responseObject(
  {
    id: Type.String(),
    object: Type.Literal('file'),
    bytes: Type.Integer(),
    created_at: Seconds,
    expires_at: Seconds,
    filename: Type.String(),
    purpose: Type.String({ description: '`batch`, or `batch_output` and `batch_error` of what a batch made.' }),
    status: Type.Literal('processed'),
  },
  'File',
);

export const FileForm = Type.Object(
  {
    file: Type.String({ format: 'binary', description: 'JSONL: one request in each line.' }),
    purpose: Type.Literal('batch'),
    'expires_after[anchor]': Type.Optional(Type.Literal('created_at')),
    'expires_after[seconds]': Type.Optional(
      Type.Integer({ minimum: 3_600, maximum: 2_592_000, description: '30 days unless told.' }),
    ),
  },
  { title: 'FileForm' },
);

export const FileDeleted = responseObject(
  { id: Type.String(), object: Type.Literal('file'), deleted: Type.Boolean() },
  'FileDeleted',
);

const ends = {
  first_id: nullable(Type.String()),
  last_id: nullable(Type.String()),
  has_more: Type.Boolean(),
};

export const FileList = responseObject(
  { object: Type.Literal('list'), data: Type.Array(FileObject), ...ends },
  'FileList',
);

const Metadata = Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 512 }), { maxProperties: 16 });

const BATCH_ENDPOINTS = [
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/moderations',
] as const;

export const NewBatchBody = inputObject(
  {
    input_file_id: Type.String({ minLength: 1, maxLength: 200, description: 'A file with the purpose `batch`.' }),
    endpoint: Type.Enum([...BATCH_ENDPOINTS]),
    completion_window: Type.Literal('24h'),
    metadata: Type.Optional(nullable(Metadata)),
    output_expires_after: Type.Optional(
      inputObject({
        anchor: Type.Literal('created_at'),
        seconds: Type.Integer({ minimum: 3_600, maximum: 2_592_000 }),
      }),
    ),
  },
  'NewBatch',
);

const maybeSeconds = Type.Optional(Seconds);

export const BatchObject = responseObject(
  {
    id: Type.String(),
    object: Type.Literal('batch'),
    endpoint: Type.String(),
    model: Type.Optional(Type.String({ description: 'Where all lines name the same.' })),
    errors: nullable(
      responseObject({
        object: Type.Literal('list'),
        data: Type.Array(
          responseObject({
            code: Type.String(),
            line: nullable(Type.Integer()),
            message: Type.String(),
            param: nullable(Type.String()),
          }),
        ),
      }),
    ),
    input_file_id: Type.String(),
    completion_window: Type.Literal('24h'),
    status: Type.Enum(['validating', 'failed', 'in_progress', 'completed', 'expired', 'cancelling', 'cancelled']),
    output_file_id: Type.Optional(Type.String()),
    error_file_id: Type.Optional(Type.String()),
    created_at: Seconds,
    in_progress_at: maybeSeconds,
    expires_at: Seconds,
    completed_at: maybeSeconds,
    failed_at: maybeSeconds,
    expired_at: maybeSeconds,
    cancelling_at: maybeSeconds,
    cancelled_at: maybeSeconds,
    request_counts: responseObject({ total: Type.Integer(), completed: Type.Integer(), failed: Type.Integer() }),
    usage: responseObject({
      input_tokens: Type.Integer(),
      input_tokens_details: responseObject({ cached_tokens: Type.Integer() }),
      output_tokens: Type.Integer(),
      output_tokens_details: responseObject({ reasoning_tokens: Type.Integer() }),
      total_tokens: Type.Integer(),
    }),
    metadata: nullable(Metadata),
    svc: responseObject({
      cost: Type.String({ description: 'What its requests were charged so far, in toman.' }),
      price_percent: Type.Integer({ description: 'What of the usual price its requests cost.' }),
    }),
  },
  'Batch',
);

export const BatchList = responseObject(
  { object: Type.Literal('list'), data: Type.Array(BatchObject), ...ends },
  'BatchList',
);

export const NewMessageBatch = Type.Object(
  {
    requests: Type.Array(
      Type.Object({
        custom_id: Type.String({ minLength: 1, maxLength: 256 }),
        params: AnyObject,
      }),
      { minItems: 1, description: 'Each with the body of a request to `/api/v1/messages` as `params`.' },
    ),
  },
  { title: 'NewMessageBatch' },
);

const Instant = Type.String({ format: 'date-time' });

export const MessageBatch = responseObject(
  {
    id: Type.String(),
    type: Type.Literal('message_batch'),
    processing_status: Type.Enum(['in_progress', 'canceling', 'ended']),
    request_counts: responseObject({
      processing: Type.Integer(),
      succeeded: Type.Integer(),
      errored: Type.Integer(),
      canceled: Type.Integer(),
      expired: Type.Integer(),
    }),
    created_at: Instant,
    expires_at: Instant,
    ended_at: nullable(Instant),
    cancel_initiated_at: nullable(Instant),
    archived_at: nullable(Instant),
    results_url: nullable(Type.String()),
  },
  'MessageBatch',
);

export const MessageBatchList = responseObject({ data: Type.Array(MessageBatch), ...ends }, 'MessageBatchList');

export const MessageBatchDeleted = responseObject(
  { id: Type.String(), type: Type.Literal('message_batch_deleted') },
  'MessageBatchDeleted',
);
