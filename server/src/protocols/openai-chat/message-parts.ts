/** Pieces of an answer that look alike in a whole message and in a delta. */
import type { Citation, ImagePart, Part } from '../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts';
import { thinkingText, webSource } from './decode-content.ts';

/** Content as text and thinking. Mistral answers with a list when its model reasons. */
export function readContent(content: Json | undefined): { text: string; thinking: string } {
  if (typeof content === 'string') return { text: content, thinking: '' };
  let text = '';
  let thinking = '';
  if (Array.isArray(content)) {
    for (const item of content) {
      if (!isJsonObject(item)) continue;
      if (typeof item['text'] === 'string') text += item['text'];
      else if (item['type'] === 'thinking') thinking += thinkingText(item['thinking']);
    }
  }
  return { text, thinking };
}

/** The text of a delta with nothing else in it, as nearly all are; undefined for any other. */
export function textAlone(delta: JsonObject): string | undefined {
  let text: string | undefined;
  for (const name in delta) {
    const value = delta[name];
    if (name === 'content' && typeof value === 'string') text = value;
    else if (name !== 'role' && value !== null) return undefined;
  }
  return text;
}

/** The plain text of reasoning: DeepSeek and z.ai call it reasoning_content, Groq, OpenRouter and Ollama reasoning; some send both alike. */
export function readReasoningText(wire: JsonObject): string {
  const { reasoning_content: content, reasoning } = wire;
  if (typeof content === 'string' && content !== '') return content;
  return typeof reasoning === 'string' ? reasoning : '';
}

export function readCitations(annotations: Json | undefined): Citation[] {
  if (!Array.isArray(annotations)) return [];
  const citations: Citation[] = [];
  for (const annotation of annotations) {
    const wire = isJsonObject(annotation) ? annotation['url_citation'] : undefined;
    if (!isJsonObject(wire) || typeof wire['url'] !== 'string') continue;
    const { url, title, start_index: start, end_index: end, content } = wire;
    citations.push({
      url,
      ...(typeof title === 'string' && { title }),
      ...(typeof start === 'number' && { start }),
      ...(typeof end === 'number' && { end }),
      ...(typeof content === 'string' && { quote: content }),
    });
  }
  return citations;
}

/** Returns undefined for a citation without an address: the chat protocol knows no other kind. */
export function encodeCitation({ url, title, start, end, quote }: Citation): JsonObject | undefined {
  if (url === undefined) return undefined;
  return {
    type: 'url_citation',
    url_citation: {
      url,
      ...(title !== undefined && { title }),
      ...(start !== undefined && { start_index: start }),
      ...(end !== undefined && { end_index: end }),
      ...(quote !== undefined && { content: quote }),
    },
  };
}

/** Generated images, as OpenRouter puts them beside the content. */
export function readImages(images: Json | undefined): (ImagePart & { source: { kind: 'data' | 'url' } })[] {
  if (!Array.isArray(images)) return [];
  return images.flatMap((image) => {
    const wire = isJsonObject(image) ? image['image_url'] : undefined;
    const url = isJsonObject(wire) ? wire['url'] : undefined;
    const source = typeof url === 'string' ? webSource(url) : undefined;
    return source ? [{ kind: 'image' as const, source }] : [];
  });
}

export function encodeImage({ mediaType, data }: { mediaType: string; data: string }): JsonObject {
  return { type: 'image_url', image_url: { url: `data:${mediaType};base64,${data}` } };
}

export function readAudio(audio: Json | undefined): Extract<Part, { kind: 'audio' }> | undefined {
  if (!isJsonObject(audio)) return undefined;
  const { id, data, transcript, format } = audio;
  return {
    kind: 'audio',
    format: typeof format === 'string' ? format : 'wav',
    data: typeof data === 'string' ? data : '',
    ...(typeof transcript === 'string' && { transcript }),
    ...(typeof id === 'string' && id !== '' && { id }),
  };
}
