/** The OpenAPI 3.1 document, written from the same schemas that validate requests. Named schemas become components. */

import type { Guard } from '@dargah/api/access.ts';
import type { RouteDescription } from '@dargah/api/describe-route.ts';
import { ErrorBody, GeminiErrorBody, MessagesErrorBody } from '@dargah/api/error-schemas.ts';
import { ERRORS, type ErrorCode } from '@dargah/core/error-registry.ts';
import type { TObject } from 'typebox';
import type { JsonObject } from '../../core/json.ts';

/** Every endpoint may answer with these. */
const PUBLIC_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_api_key',
  'account_blocked',
  'key_paused',
  'rate_limited',
  'internal_error',
  'overloaded',
];
const OPEN_ERRORS: readonly ErrorCode[] = ['invalid_request', 'foreign_origin', 'internal_error', 'overloaded'];
const SIGNED_IN_ERRORS: readonly ErrorCode[] = [...OPEN_ERRORS, 'unauthorized', 'forbidden'];
const USUAL_ERRORS: Record<Guard, readonly ErrorCode[]> = {
  open: OPEN_ERRORS,
  key: PUBLIC_ERRORS,
  person: SIGNED_IN_ERRORS,
  console: SIGNED_IN_ERRORS,
  operator: SIGNED_IN_ERRORS,
};
const SECURITY: Record<Guard, readonly object[]> = {
  open: [],
  key: [{ key: [] }],
  person: [{ session: [] }],
  console: [{ session: [] }, { management: [] }],
  operator: [{ operator: [] }, { session: [] }],
};

export interface DocumentFacts {
  version: string;
  endpoints: readonly RouteDescription[];
}

export function openApiDocument({ version, endpoints }: DocumentFacts): JsonObject {
  const components = new Components();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/\/:(\w+)/g, '/{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint, components) };
  }
  const tags = [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name }));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dargah',
      version,
      description:
        'One authenticated interface to many models. Public endpoints speak the protocols of the OpenAI and Anthropic SDKs; unknown fields of theirs are carried to providers of the same language.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags,
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key. `x-api-key` works too.' },
        session: { type: 'apiKey', in: 'cookie', name: 'dargah', description: 'The session of a signed-in person.' },
        management: { type: 'http', scheme: 'bearer', description: 'A management key of an account.' },
        operator: { type: 'http', scheme: 'bearer', description: "The operator's token." },
      },
      schemas: components.schemas,
    },
  } as unknown as JsonObject;
}

function operation(endpoint: RouteDescription, components: Components): object {
  const { operationId, tag, summary, description, body, status = 200 } = endpoint;
  const parameters = [...pathParameters(endpoint), ...queryParameters(endpoint.query, components)];
  return {
    operationId,
    tags: [tag],
    summary: summary.en,
    'x-summary-fa': summary.fa,
    ...(description === undefined ? {} : { description }),
    security: SECURITY[endpoint.access.guard],
    'x-access': publishedAccess(endpoint.access),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              [endpoint.bodyType ?? 'application/json']: {
                schema: components.named(body),
                ...(endpoint.example === undefined ? {} : { example: endpoint.example }),
              },
            },
          },
        }),
    responses: { [status]: success(endpoint, components), ...refusals(endpoint, components) },
  };
}

/** Readers of the document know the guard as `door`, its name in earlier releases. */
function publishedAccess({ guard, ...rest }: RouteDescription['access']): object {
  return { door: guard, ...rest };
}

function success(endpoint: RouteDescription, components: Components): object {
  const content: Record<string, object> = {
    [endpoint.resultType ?? 'application/json']: { schema: components.named(endpoint.result) },
  };
  if (endpoint.streams) content['text/event-stream'] = { schema: { type: 'string' } };
  return { description: 'OK', content };
}

function refusals(endpoint: RouteDescription, components: Components): object {
  const usual = USUAL_ERRORS[endpoint.access.guard];
  const byStatus = new Map<number, ErrorCode[]>();
  const proof: ErrorCode[] = 'freshProof' in endpoint.access ? ['proof_required'] : [];
  for (const code of new Set([...usual, ...proof, ...(endpoint.errors ?? [])])) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const shape = components.named(errorShape(endpoint.path));
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\``).join(', '),
        content: { 'application/json': { schema: shape } },
      },
    ]),
  );
}

function errorShape(path: string): TObject {
  if (path.startsWith('/api/v1beta/')) return GeminiErrorBody;
  return path.startsWith('/api/v1/messages') ? MessagesErrorBody : ErrorBody;
}

function pathParameters({ path, params = {} }: RouteDescription): object[] {
  return [...path.matchAll(/\/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...(params[name] === undefined ? {} : { description: params[name] }),
    schema: { type: 'string' },
  }));
}

function queryParameters(query: TObject | undefined, components: Components): object[] {
  const required = (query?.required ?? []) as string[];
  return Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: components.named(schema),
  }));
}

/** Schemas with a title are written once, under that name. */
class Components {
  readonly schemas: Record<string, object> = {};

  named(schema: unknown): object {
    if (Array.isArray(schema)) return schema.map((item) => this.#inner(item));
    return this.#inner(schema) as object;
  }

  #inner(node: unknown): unknown {
    if (Array.isArray(node)) return node.map((item) => this.#inner(item));
    if (typeof node !== 'object' || node === null) return node;
    const { title } = node as { title?: unknown };
    if (typeof title !== 'string') return this.#copy(node);
    if (!(title in this.schemas)) {
      // The name is entered before the schema is copied, because a schema may contain itself.
      this.schemas[title] = {};
      this.schemas[title] = this.#copy(node);
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  #copy(node: object): object {
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, this.#inner(value)]));
  }
}
