/** Parts of an answer as this protocol writes them. */
import type { ChatRequest, Citation, Part } from '../../../core/chat.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { kept, keptBlock } from '../own-fields.ts';
import { mimeTypeOf } from '../upstream/encode-media.ts';
import { argumentsOf } from '../upstream/encode-tool-turns.ts';
import { signThought } from './thought-signature.ts';

/** The SDKs' chat helpers drop an answer without a part, and the turn with it. */
export const EMPTY_PART: JsonObject = { text: '' };

/**
 * Reasoning is shown to clients that asked for it; others get only the signature that they must send back, and only
 * where no text comes with it.
 */
export function showsThoughts({ reasoning }: ChatRequest): boolean {
  return reasoning?.summary === 'auto';
}

export function encodeParts(parts: readonly Part[], shows: boolean): JsonObject[] {
  const encoded: JsonObject[] = [];
  for (const part of parts) {
    const wire = encodePart(part, shows);
    if (wire) encoded.push(wire);
  }
  return encoded.length > 0 ? encoded : [EMPTY_PART];
}

function encodePart(part: Part, shows: boolean): JsonObject | undefined {
  const whole = keptBlock(part);
  if (whole) return whole;
  switch (part.kind) {
    case 'text': {
      const signature = kept(part)?.['thoughtSignature'];
      if (typeof signature === 'string') return { text: part.text, thoughtSignature: signature };
      return part.text === '' ? undefined : { text: part.text };
    }
    case 'refusal':
      return part.text === '' ? undefined : { text: part.text };
    case 'reasoning':
      return thoughtPart(shows ? part.text : '', signatureOf(part, shows));
    case 'tool-call':
      return callPart(part.id, part.name, part.arguments, part.signature);
    case 'audio':
      return inlineData(mimeTypeOf(part.format), part.data);
    case 'image':
      return part.source.kind === 'data' ? inlineData(part.source.mediaType, part.source.data) : undefined;
    case 'file':
    case 'tool-result':
      return undefined;
  }
}

/** A signature of text is worthless without the text. */
function signatureOf(part: Extract<Part, { kind: 'reasoning' }>, shows: boolean): string | undefined {
  return shows || part.text === '' ? signThought(part) : undefined;
}

export function thoughtPart(text: string, signature: string | undefined): JsonObject | undefined {
  if (text === '' && signature === undefined) return undefined;
  return { text, thought: true, ...(signature !== undefined && { thoughtSignature: signature }) };
}

/** A call goes out whole, because no client of this protocol assembles arguments. */
export function callPart(id: string, name: string, args: string, signature: string | undefined): JsonObject {
  const functionCall: JsonObject = { id, name, args: argumentsOf(args) };
  return signature === undefined ? { functionCall } : { functionCall, thoughtSignature: signature };
}

export function inlineData(mimeType: string, data: string): JsonObject {
  return { inlineData: { mimeType, data } };
}

/** Returns undefined where no source has an address, which is all that this form can hold. */
export function citationMetadata(citations: readonly Citation[]): JsonObject | undefined {
  const citationSources = citations
    .filter(({ url }) => url !== undefined)
    .map(
      ({ start, end, url, title }): JsonObject => ({
        ...(start !== undefined && { startIndex: start }),
        ...(end !== undefined && { endIndex: end }),
        uri: url as string,
        ...(title !== undefined && { title }),
      }),
    );
  return citationSources.length > 0 ? { citationSources } : undefined;
}

/** The chat protocol's `logprobs` as Google's two lists. */
export function logprobsResult(logprobs: JsonObject | undefined): JsonObject | undefined {
  const content = logprobs?.['content'];
  if (!Array.isArray(content) || content.length === 0) return undefined;
  const tokens = content.filter(isJsonObject);
  return {
    chosenCandidates: tokens.map(chosen),
    topCandidates: tokens.map(({ top_logprobs: tops }) => ({
      candidates: Array.isArray(tops) ? tops.filter(isJsonObject).map(chosen) : [],
    })),
  };
}

function chosen({ token, logprob }: JsonObject): JsonObject {
  return { token: (token ?? '') as Json, logProbability: (logprob ?? 0) as Json };
}
