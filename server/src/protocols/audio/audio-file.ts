/**
 * Which container a file is. Providers go by the extension alone and refuse a nameless recording of a browser ("blob"), so
 * a name without one gets it from the declared type or from the first bytes.
 */
import { reasons } from '../../core/reasons.ts';
import { refuseParam } from '../read-fields.ts';
import { bytesAt, type Container, containerOf } from './duration/container.ts';

const EXTENSIONS = new Set(['flac', 'mp3', 'mp4', 'mpeg', 'mpga', 'm4a', 'ogg', 'oga', 'opus', 'wav', 'webm', 'aac']);

const BY_TYPE: Record<string, string> = {
  'audio/flac': 'flac',
  'audio/x-flac': 'flac',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/mp4': 'm4a',
  'audio/m4a': 'm4a',
  'audio/x-m4a': 'm4a',
  'video/mp4': 'mp4',
  'audio/ogg': 'ogg',
  'audio/opus': 'ogg',
  'audio/wav': 'wav',
  'audio/wave': 'wav',
  'audio/x-wav': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/webm': 'webm',
  'video/webm': 'webm',
  'audio/aac': 'aac',
};

const BY_CONTAINER: Record<Container, string> = {
  wav: 'wav',
  flac: 'flac',
  ogg: 'ogg',
  mp3: 'mp3',
  mp4: 'm4a',
  webm: 'webm',
};

const MAX_NAME_CHARS = 255;

/** The name to send upstream. Throws invalid_request when nothing says that this is audio. */
export function audioFileName(clientName: string | undefined, type: string | undefined, head: Uint8Array): string {
  const name = (clientName ?? '').slice(-MAX_NAME_CHARS);
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase();
  if (extension !== undefined && EXTENSIONS.has(extension)) return name;
  const container = containerOf(bytesAt(head));
  const found = (container && BY_CONTAINER[container]) ?? BY_TYPE[type?.toLowerCase() ?? ''];
  if (found === undefined) refuseParam('file', reasons.oneOf('file', [...EXTENSIONS]));
  return `${name === '' ? 'audio' : name}.${found}`;
}
