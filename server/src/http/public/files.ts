/**
 * `/api/v1/files`: JSONL for batches, and their results. Uploads go over the disk into chunks, downloads chunk by
 * chunk.
 */

import type { IncomingMessage } from 'node:http';
import type { ResultOf } from '@dargah/api/describe-route.ts';
import { createFile, deleteFile, getFile, getFileContent, listFiles } from '@dargah/api/public/batches.ts';
import { type Batches, INPUT_PURPOSE, KEPT_SECONDS, type StoredFile } from '../../batches/index.ts';
import { jsonAnswer, type StreamAnswer } from '../../core/answer.ts';
import { GatewayError, invalidRequest } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { reasons } from '../../core/reasons.ts';
import { admitFree, type Call, type Gateway, type ReceivedForm } from '../../gateway/index.ts';
import type { UploadFiles } from '../../platform/upload-files.ts';
import { openaiChatClient } from '../../protocols/index.ts';
import { receiveForm } from '../receive-form.ts';
import { RawAnswer } from '../routes/handler-result.ts';
import type { KeyRoutes } from '../routes/key-routes.ts';

interface FileServices {
  batches: Batches;
  uploads: UploadFiles;
  maxFileBytes: number;
}

const DEFAULT_PAGE = 10_000;
const MIN_KEPT_SECONDS = 3_600;
const MAX_NAME_CHARS = 200;
const KNOWN_FIELDS = new Set(['purpose', 'expires_after[anchor]', 'expires_after[seconds]']);

export function files(routes: KeyRoutes, gw: Gateway, services: FileServices): void {
  const { batches } = services;
  routes.upload(createFile, openaiChatClient, async (call, form) =>
    jsonAnswer(fileView(await receive(call, form, services, gw))),
  );
  routes.free(listFiles, async ({ key, query }) => {
    const { purpose, order = 'desc', after, limit = DEFAULT_PAGE } = query;
    const found = await batches.files.list(key.account.id, { purpose, order, after, limit });
    return openaiPage(found.files.map(fileView), found.more);
  });
  const found = async (accountId: string, id: string): Promise<StoredFile> => {
    const file = await batches.files.find(accountId, id);
    // Another account's file looks exactly like one that never existed.
    if (!file) throw new GatewayError('not_found');
    return file;
  };
  routes.free(getFile, async ({ key, params }) => fileView(await found(key.account.id, params.id)));
  routes.free(
    getFileContent,
    async ({ key, params }) => new RawAnswer(fileAnswer(await found(key.account.id, params.id), batches)),
  );
  routes.free(deleteFile, async ({ key, params: { id } }) => {
    await found(key.account.id, id);
    if (!(await batches.files.remove(key.account.id, id))) throw new GatewayError('not_found');
    return { id, object: 'file', deleted: true };
  });
}

async function receive(
  call: Call,
  form: IncomingMessage,
  { batches, uploads, maxFileBytes }: FileServices,
  gw: Gateway,
): Promise<StoredFile> {
  const key = await admitFree(call, gw);
  const received = await receiveForm(form, uploads, { fileBytes: maxFileBytes });
  try {
    const { file, fileName } = received;
    const name = fileName.slice(0, MAX_NAME_CHARS) || 'file';
    const asked = { accountId: key.account.id, ...fieldsOf(received), name, bytes: file.size };
    return await batches.files.create(asked, file.read());
  } finally {
    await received.file.remove();
  }
}

function fieldsOf({ fields }: ReceivedForm): { purpose: string; keepSeconds: number } {
  const unknown = fields.find(([name]) => !KNOWN_FIELDS.has(name));
  if (unknown) throw invalidRequest(unknown[0], reasons.notKnownAmong(unknown[0], [...KNOWN_FIELDS]));
  const { purpose, ...rest } = Object.fromEntries(fields);
  if (purpose === undefined) throw invalidRequest('purpose', reasons.required('purpose'));
  // Files for other purposes could be stored, but nothing here could use them.
  if (purpose !== INPUT_PURPOSE) throw invalidRequest('purpose', reasons.oneOf('purpose', [INPUT_PURPOSE]));
  return { purpose, keepSeconds: keptSeconds(rest) };
}

function keptSeconds(fields: Record<string, string>): number {
  const anchor = fields['expires_after[anchor]'];
  const seconds = fields['expires_after[seconds]'];
  if (anchor !== undefined && anchor !== 'created_at')
    throw invalidRequest('expires_after.anchor', reasons.oneOf('expires_after.anchor', ['created_at']));
  if (seconds === undefined) return KEPT_SECONDS;
  const value = /^\d{1,9}$/.test(seconds) ? Number(seconds) : Number.NaN;
  if (value >= MIN_KEPT_SECONDS && value <= KEPT_SECONDS) return value;
  const name = 'expires_after.seconds';
  throw invalidRequest(name, reasons.mustBe(name, expected.integerBetween(MIN_KEPT_SECONDS, KEPT_SECONDS)));
}

function fileView(file: StoredFile): ResultOf<typeof getFile> {
  const { id, bytes, createdAt, expiresAt, name, purpose } = file;
  return {
    id,
    object: 'file',
    bytes,
    created_at: unixSeconds(createdAt),
    expires_at: unixSeconds(expiresAt),
    filename: name,
    purpose,
    status: 'processed',
  };
}

function unixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1_000);
}

export function openaiPage<T extends { id: string }>(data: T[], more: boolean) {
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  return { object: 'list' as const, data, ...ends, has_more: more };
}

function fileAnswer(file: StoredFile, batches: Batches): StreamAnswer {
  return {
    ...jsonlAnswer(batches.content(file), 'application/octet-stream'),
    headers: { 'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}` },
  };
}

/** A download that broke off must not look complete. */
export function jsonlAnswer(content: AsyncGenerator<Uint8Array>, contentType: string): StreamAnswer {
  return {
    kind: 'stream',
    contentType,
    async run(sink) {
      try {
        for await (const piece of content) {
          if (sink.gone) return;
          await sink.write(piece);
        }
        sink.end();
      } catch {
        sink.cut();
      }
    },
  };
}
