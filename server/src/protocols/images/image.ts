/** Pictures in canonical form: a text and perhaps pictures in, pictures out. Within the gateway all of them are base64. */
import type { ServiceExtension } from '../../core/chat.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';

export interface ImageRequest {
  /** The model as the client wrote it; undefined for the key's default. */
  model: string | undefined;
  task: 'generations' | 'edits';
  prompt: string;
  count: number;
  size?: string;
  quality?: string;
  stream: boolean;
  /** Unfinished pictures before the last, in a stream. */
  partials?: number;
  /** Data URLs or https addresses, which only edits have. */
  pictures: string[];
  mask?: string;
  user?: string;
  /** The client wants addresses instead of bytes. */
  byAddress?: true;
  svc: ServiceExtension;
  /** Fields of the client's body we do not model. */
  extras: JsonObject;
}

export interface DrawnImage {
  base64: string;
  /** Where the picture is kept with us, for a client that wants addresses. */
  address?: string;
  revisedPrompt?: string;
}

export interface ImageResponse {
  images: DrawnImage[];
  /** size, quality, background, output_format as the provider says them. */
  facts: JsonObject;
  /** Tokens, where the provider counts them. */
  counted?: Usage['buckets'];
  raw?: JsonObject;
}
