/**
 * Finds media that a request names by address, and puts their bytes in. Some providers fetch no foreign address; the
 * gateway fetches for them with its guarded fetcher, between these two pure steps.
 */
import type { ChatRequest, FilePart, ImagePart, MediaSource, Message, Part } from '../core/chat.ts';

export interface FetchedMedia {
  mediaType: string;
  /** The bytes in base64. */
  data: string;
}

/** Every distinct http(s) address of an image or file, in the order of the conversation, tool results included. */
export function mediaUrls(request: ChatRequest): string[] {
  const urls = new Set<string>();
  const collect = (parts: readonly Part[]): void => {
    for (const part of parts) {
      if (part.kind === 'tool-result') collect(part.content);
      else if ((part.kind === 'image' || part.kind === 'file') && isWebUrl(part.source)) urls.add(part.source.url);
    }
  };
  for (const message of request.messages) collect(message.parts);
  return [...urls];
}

/** The request with what was fetched in place of its address; an address that is not in the map stays. */
export function inlineMedia(request: ChatRequest, fetched: ReadonlyMap<string, FetchedMedia>): ChatRequest {
  if (fetched.size === 0) return request;
  const messages = request.messages.map(
    (message): Message => ({ ...message, parts: message.parts.map((part) => inlinePart(part, fetched)) }),
  );
  return { ...request, messages };
}

function inlinePart(part: Part, fetched: ReadonlyMap<string, FetchedMedia>): Part {
  if (part.kind === 'tool-result') {
    return { ...part, content: part.content.map((inner) => inlinePart(inner, fetched)) };
  }
  if (part.kind !== 'image' && part.kind !== 'file') return part;
  return inlineSource(part, fetched);
}

function inlineSource<P extends ImagePart | FilePart>(part: P, fetched: ReadonlyMap<string, FetchedMedia>): P {
  const media = part.source.kind === 'url' ? fetched.get(part.source.url) : undefined;
  return media ? { ...part, source: { kind: 'data', mediaType: media.mediaType, data: media.data } } : part;
}

function isWebUrl(source: MediaSource | { kind: 'text' }): source is { kind: 'url'; url: string } {
  return source.kind === 'url' && /^https?:/i.test(source.url);
}
