/** Talking to the knowledge endpoints of a running gateway. */
import type { TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';

export interface ShownDocument {
  id: string;
  name: string;
  state: string;
  progress: number;
  reason: string | null;
  passages: number;
  revision: number;
}

export interface ShownPassage {
  document_id: string;
  title: string;
  page?: number;
  heading?: string;
  text: string;
  score: number;
}

export interface Said<T> {
  status: number;
  body: T;
}

const BASES = '/api/v1/knowledge_bases';

export function knowledgeOf(gateway: TestGateway, key?: string) {
  async function ask<T>(method: string, path: string, body?: object): Promise<Said<T>> {
    const form = body instanceof FormData;
    const response = await gateway.fetch(BASES + path, {
      method,
      ...(key === undefined ? {} : { key }),
      headers: { 'accept-language': 'en', ...(body && !form ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: form ? body : JSON.stringify(body) } : {}),
    });
    return { status: response.status, body: (await response.json()) as T };
  }
  const create = async (name: string, more: object = {}) =>
    (await ask<{ id: string }>('POST', '', { name, ...more })).body.id;
  const upload = (base: string, name: string, content: string | Uint8Array, type = '', document?: string) => {
    const form = new FormData();
    form.append('file', new Blob([content], { type }), name);
    return document === undefined
      ? ask<ShownDocument>('POST', `/${base}/documents`, form)
      : ask<ShownDocument>('PUT', `/${base}/documents/${document}`, form);
  };
  const settled = async (base: string, document: string): Promise<ShownDocument> => {
    let last: ShownDocument | undefined;
    await eventually(async () => {
      last = (await ask<ShownDocument>('GET', `/${base}/documents/${document}`)).body;
      if (last.state !== 'ready' && last.state !== 'failed') throw new Error(`still ${last.state}`);
    });
    return last as ShownDocument;
  };
  const search = async (base: string, query: string, limit = 5) =>
    (await ask<{ data: ShownPassage[] }>('POST', `/${base}/search`, { query, limit })).body.data;
  return { ask, create, upload, settled, search };
}
