/** The OpenAPI document: sound in itself, true of the server, and committed as it is served. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/core/version.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { errorsMarkdown } from './errors-markdown.ts';

const committed = (name: string) => fileURLToPath(new URL(`../../../docs/reference/${name}`, import.meta.url));
/** `npm run docs:openapi` sets it. */
const isWriting = process.env['DARGAH_WRITE_DOCS'] === '1';

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required: boolean; schema: object }[];
  responses: Record<string, { description: string }>;
  security: object[];
}
interface Document {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

let gateway: TestGateway;
let document: Document;
/** With the operator's endpoints. */
let whole: Document;

beforeAll(async () => {
  gateway = await startGateway();
  document = (await (await fetch(`${gateway.origin}/api/openapi.json`)).json()) as Document;
  whole = (await (await gateway.admin('GET', '/api/admin/openapi.json')).json()) as Document;
});
afterAll(() => gateway.stop());

const operations = () =>
  Object.entries(whole.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

/** Routes of models take the rest of the address as it comes, and Gemini's read from it what is asked. */
function routeOf(path: string): string {
  if (path.includes('{model}:')) return '/api/v1beta/*';
  const [, models] = /^(\/api\/v1(?:beta)?\/models)\/\{vendor\}\/\{model\}$/.exec(path) ?? [];
  return models === undefined ? path.replace(/\{(\w+)\}/g, ':$1') : `${models}/*`;
}

function isServed(method: 'GET', url: string): boolean {
  const { app } = gateway.service;
  return app.hasRoute({ method, url }) || app.areas.some((area) => area.has(method, url));
}

describe('the OpenAPI document', () => {
  it('is 3.1 of this version, with every reference answered and every id used once', () => {
    expect(document.openapi).toBe('3.1.0');
    const packaged = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(document.info.version).toBe(packaged.version);
    expect(VERSION).toBe(packaged.version);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(50);
    for (const [, name = ''] of references) expect(document.components.schemas).toHaveProperty(name);
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('declares every parameter of every address, and a success and errors for each operation', () => {
    for (const { path, operation } of operations()) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = (operation.parameters ?? []).filter((one) => one.in === 'path');
      expect(declared.map((one) => one.name)).toEqual(named);
      expect(declared.every((one) => one.required)).toBe(true);
      const statuses = Object.keys(operation.responses).map(Number);
      expect(statuses.some((status) => status < 300)).toBe(true);
      expect(statuses).toContain(path.startsWith('/api/admin') ? 401 : 400);
    }
  });

  it('tells of nothing that is not there, and keeps silent about no endpoint', () => {
    const asRoutes = new Set(operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`));
    for (const { path, method } of operations()) {
      expect([isServed(method.toUpperCase() as 'GET', routeOf(path)), path]).toEqual([true, path]);
    }
    for (const known of [
      'POST /api/v1/chat/completions',
      'POST /api/v1/messages',
      'POST /api/v1/responses',
      'POST /api/v1/embeddings',
      'POST /api/v1/audio/speech',
      'GET /api/v1/key',
      'POST /api/v1/knowledge_bases',
      'POST /api/admin/keys',
    ])
      expect(asRoutes).toContain(known);
  });

  it("has the operator's endpoints for staff alone", async () => {
    expect(Object.keys(document.paths).filter((path) => path.startsWith('/api/admin'))).toEqual([]);
    expect(Object.keys(whole.paths)).toContain('/api/admin/keys');
    expect(Object.keys(whole.paths)).toEqual(expect.arrayContaining(Object.keys(document.paths)));
    expect((await fetch(`${gateway.origin}/api/admin/openapi.json`)).status).toBe(401);
    expect((await gateway.fetch('/api/admin/openapi.json')).status).toBe(401);
  });

  it('is committed as it is served (npm run docs:openapi writes it)', () => {
    for (const [name, served] of [
      ['openapi.json', document],
      ['openapi-operator.json', whole],
    ] as const) {
      const text = `${JSON.stringify(served, null, 2)}\n`;
      if (isWriting) writeFileSync(committed(name), text);
      expect(existsSync(committed(name))).toBe(true);
      expect(readFileSync(committed(name), 'utf8') === text, 'run npm run docs:openapi').toBe(true);
    }
  });

  it('has a page of errors beside it, written from the registry', () => {
    if (isWriting) writeFileSync(committed('errors.md'), errorsMarkdown());
    expect(readFileSync(committed('errors.md'), 'utf8')).toBe(errorsMarkdown());
  });

  it('is not sent again to who has it', async () => {
    const first = await fetch(`${gateway.origin}/api/openapi.json`);
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
    expect((await fetch(`${gateway.origin}/api/openapi.json`, { headers })).status).toBe(304);
  });
});
