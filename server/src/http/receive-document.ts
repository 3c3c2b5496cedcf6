/** A document from the wire: a form with a file, or JSON with a text or an address. */

import type { IncomingMessage } from 'node:http';
import type { Static } from 'typebox';
import { invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import { reasons } from '../core/reasons.ts';
import type { Call } from '../gateway/index.ts';
import type { DocumentInput, KnowledgeService } from '../knowledge/index.ts';
import { FILE_MEMORY_FACTOR, type MemoryShare } from '../platform/memory-budget.ts';
import type { UploadFiles } from '../platform/upload-files.ts';
import { isTrustedHost } from '../platform/upstream/index.ts';
import { httpReasons } from './reasons.ts';
import { receiveForm } from './receive-form.ts';
import type { NewDocument } from './schemas/knowledge-schemas.ts';

export interface KnowledgeServices {
  service: KnowledgeService;
  uploads: UploadFiles;
  maxDocumentBytes: number;
  /** What a request holds beside its body. */
  memoryOf(call: Call): MemoryShare;
  /** Hosts of the operator's own network, which need no TLS. */
  plainHosts: readonly string[];
}

const MEDIA_TYPES: Record<string, string> = {
  text: 'text/plain',
  markdown: 'text/markdown',
  html: 'text/html',
  csv: 'text/csv',
  json: 'application/json',
};

export function isForm(contentType: string | undefined): boolean {
  return /^multipart\//i.test(contentType ?? '');
}

/** `name` in the form overrides the name of the file. */
export async function receiveFile(
  request: IncomingMessage,
  { uploads, maxDocumentBytes, memoryOf }: Pick<KnowledgeServices, 'uploads' | 'maxDocumentBytes' | 'memoryOf'>,
  call: Call,
): Promise<DocumentInput> {
  const { file, fileName, fileType, fields } = await receiveForm(request, uploads, { fileBytes: maxDocumentBytes });
  try {
    await memoryOf(call).reserve('bodies', file.size * FILE_MEMORY_FACTOR);
    const chunks: Uint8Array[] = [];
    for await (const chunk of file.read()) chunks.push(chunk);
    const name = fields.find(([field]) => field === 'name')?.[1] ?? fileName;
    const mediaType = fileType === '' ? null : fileType;
    return {
      name: name === '' ? 'file' : name,
      mediaType,
      source: 'upload',
      content: Buffer.concat(chunks),
      url: null,
    };
  } finally {
    await file.remove();
  }
}

export function readDocumentBody(
  body: Static<typeof NewDocument>,
  { plainHosts }: Pick<KnowledgeServices, 'plainHosts'>,
): DocumentInput {
  const { text, url, name, format } = body;
  if ((text === undefined) === (url === undefined)) throw invalidRequest('text', httpReasons.textOrUrl);
  if (text !== undefined) {
    const mediaType = MEDIA_TYPES[format ?? 'text'] ?? 'text/plain';
    if (name === undefined) throw invalidRequest('name', reasons.required('name'));
    return { name, mediaType, source: 'text', content: Buffer.from(text), url: null };
  }
  const address = url ?? '';
  if (!URL.canParse(address) || !mayBeFetched(new URL(address), plainHosts))
    throw invalidRequest('url', reasons.mustBe('url', expected.httpsAddress));
  return { name: name ?? address, mediaType: null, source: 'url', content: null, url: address };
}

function mayBeFetched(url: URL, plainHosts: readonly string[]): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isTrustedHost(url, plainHosts));
}
