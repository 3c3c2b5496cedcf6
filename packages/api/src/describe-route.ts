/**
 * A route as data: address, who may call it, what goes in and what comes out. The server serves and checks by it, the OpenAPI
 * document and the reference page are written from it, and the browser's side takes its types from it (`import type`), so
 * modules of descriptions import schemas and nothing that runs.
 */

import type { ErrorCode } from '@dargah/core/error-registry.ts';
import type { Text } from '@dargah/core/text.ts';
import type { Static, TObject, TSchema } from 'typebox';
import type { Access } from './access.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RouteDescription {
  readonly method: Method;
  /** The path, with `:name` for parameters. */
  readonly path: string;
  /** The path in the router's own syntax, where it differs. */
  readonly servedAt?: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: Text;
  /** A longer description, in English. */
  readonly description?: string;
  readonly access: Access;
  /** Descriptions of the path's parameters. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** Content type of the body; `application/json` when absent. */
  readonly bodyType?: string;
  readonly result: TSchema;
  /** Status of a successful answer; 200 when absent. */
  readonly status?: number;
  /** Content type of the answer; `application/json` when absent. With `streams`, events can be asked for too. */
  readonly resultType?: string;
  readonly streams?: boolean | 'on demand';
  /** Error codes that a caller may meet here beyond those that every endpoint has. */
  readonly errors?: readonly ErrorCode[];
  /** The route is served, but left out of the document. */
  readonly unlisted?: boolean;
  /** Fields for a sample `curl` command that works as it is. */
  readonly example?: object;
}

/** Keeps the literal types of a description, which type its handler and the browser's calls. */
export function describeRoute<const D extends RouteDescription>(description: D): D {
  return description;
}

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export type ParamsOf<D extends RouteDescription> = { [Name in ParamNames<D['path']>]: string };
export type QueryOf<D extends RouteDescription> = D extends { readonly query: infer Q extends TObject }
  ? Static<Q>
  : Record<string, never>;
export type BodyOf<D extends RouteDescription> = D extends { readonly body: infer B extends TSchema }
  ? Static<B>
  : undefined;
export type ResultOf<D extends RouteDescription> = Static<D['result']>;
