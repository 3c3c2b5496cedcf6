/** Images, sound and files as parts of a turn. Google fetches only what it hosts itself; all else must come as bytes. */

import type { AudioPart, FilePart, ImagePart, MediaSource } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { protocolReasons } from '../../reasons.ts';
import { kept } from '../own-fields.ts';

const HOSTED =
  /^(?:gs:\/\/|https:\/\/generativelanguage\.googleapis\.com\/|https:\/\/(?:www\.|m\.)?youtube\.com\/|https:\/\/youtu\.be\/)/i;
const FILE_SERVICE = 'https://generativelanguage.googleapis.com/v1beta/';

const AUDIO_TYPES: Record<string, string> = { mp3: 'audio/mp3', m4a: 'audio/m4a', pcm16: 'audio/l16;rate=24000' };

/** Where no type came with an address, its extension decides. */
const TYPE_BY_ENDING: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  pdf: 'application/pdf',
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  txt: 'text/plain',
};

/** Addresses that the provider fetches itself. */
export function isHostedByGoogle(url: string): boolean {
  return HOSTED.test(url);
}

export function encodeMedia(part: ImagePart | AudioPart | FilePart, param: string): JsonObject {
  const beside = kept(part)?.['beside'];
  const media = encodeDatum(part, param);
  return isJsonObject(beside) ? { ...media, ...beside } : media;
}

export function mimeTypeOf(format: string): string {
  return AUDIO_TYPES[format] ?? `audio/${format}`;
}

function encodeDatum(part: ImagePart | AudioPart | FilePart, param: string): JsonObject {
  if (part.kind === 'audio') return { inlineData: { mimeType: mimeTypeOf(part.format), data: part.data } };
  if (part.source.kind === 'text') return { text: part.source.text };
  const mediaType = part.kind === 'file' ? part.mediaType : undefined;
  return encodeSource(part.source, mediaType, param);
}

function encodeSource(source: MediaSource, mediaType: string | undefined, param: string): JsonObject {
  switch (source.kind) {
    case 'data':
      return { inlineData: { mimeType: source.mediaType, data: source.data } };
    case 'url': {
      if (isHostedByGoogle(source.url)) return fileData(source.url, mediaType);
      const embedded = /^data:([^;,]+);base64,(.+)$/s.exec(source.url);
      if (embedded) return { inlineData: { mimeType: embedded[1], data: embedded[2] } };
      throw invalidRequest(param, protocolReasons.noFileByAddress);
    }
    case 'file-id':
      if (isHostedByGoogle(source.id)) return fileData(source.id, mediaType);
      if (source.id.startsWith('files/')) return fileData(FILE_SERVICE + source.id, mediaType);
      throw invalidRequest(param, reasons.notCarried('file_id'));
  }
}

function fileData(fileUri: string, mediaType: string | undefined): JsonObject {
  const ending = /\.([a-z0-9]+)(?:[?#]|$)/i.exec(fileUri)?.[1]?.toLowerCase();
  const mimeType = mediaType ?? (ending === undefined ? undefined : TYPE_BY_ENDING[ending]);
  return { fileData: { ...(mimeType !== undefined && { mimeType }), fileUri } };
}
