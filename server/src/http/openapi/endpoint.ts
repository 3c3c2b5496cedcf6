/** What the OpenAPI document and the reference page know of an endpoint. */
import type { TObject, TSchema } from 'typebox';
import type { ErrorCode, Text } from '../../core/errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface EndpointDescription {
  method: Method;
  /** With `:name` for parameters. */
  path: string;
  operationId: string;
  tag: string;
  summary: Text;
  /** Longer words, in English. */
  description?: string;
  params?: Record<string, string>;
  query?: TObject;
  body?: TSchema;
  /** `application/json` unless told. */
  bodyType?: string;
  result: TSchema;
  /** 200 unless told. */
  status?: number;
  /** `application/json` unless told; a stream of events beside it where `streams`. */
  resultType?: string;
  streams?: boolean;
  /** Codes a caller may meet here beyond those that every endpoint has. */
  errors?: readonly ErrorCode[];
  /** Needs no key. */
  open?: boolean;
  /** Fields for a curl line that works as it stands. */
  example?: object;
}
