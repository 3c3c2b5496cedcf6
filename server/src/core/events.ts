/**
 * A streamed answer as canonical events. The grammar, enforced by protocols/stream-guard.ts:
 *
 *   response-start  ( part-start part-delta* part-end | usage-update )*  response-end  usage-update*
 *   or, at any point, one failure, after which nothing follows.
 *
 * `part` numbers parts over the whole answer; per choice at most one part is open unless parts are tool calls.
 */
import type { Citation, Extras, Finish, ProtocolId } from './chat.ts';
import type { UpstreamFailure } from './failure.ts';
import type { JsonObject } from './json.ts';
import type { Usage } from './usage.ts';

export type ChatEvent = ResponseStart | PartStart | PartDelta | PartEnd | UsageUpdate | ResponseEnd | FailureEvent;

/** What observers of a stream see: events, and text that goes out without a decoder having read it. */
export type MeteredEvent = ChatEvent | UnreadTextEvent;

export interface UnreadTextEvent {
  type: 'unread-text';
  text: string;
}

export interface ResponseStart {
  type: 'response-start';
  id?: string;
  model?: string;
  created?: number;
  extras?: Extras;
}

export type StreamedPartKind = 'text' | 'reasoning' | 'tool-call' | 'refusal' | 'audio' | 'image';

export interface PartStart {
  type: 'part-start';
  part: number;
  choice: number;
  kind: StreamedPartKind;
  /** tool-call only: both are always present and non-empty here. */
  toolCall?: { id: string; name: string; namespace?: string; signature?: string; custom?: boolean };
  /** reasoning only. */
  reasoning?: { id?: string; summary?: boolean; encrypted?: string; origin?: ProtocolId };
  /** audio only: what is known before the first byte. */
  audio?: { id?: string; format?: string };
  /** image only: a generated image arrives whole. */
  image?: { mediaType: string; data: string };
  extras?: Extras;
}

export interface PartDelta {
  type: 'part-delta';
  part: number;
  /** Text, reasoning text, refusal text, JSON of tool arguments, or base64 audio. */
  text: string;
  /** The pieces of `text`, where several came together. */
  pieces?: readonly string[];
  /** Logprobs of this piece (chat protocol), passed through. */
  logprobs?: JsonObject;
  citation?: Citation;
  /** Audio only. */
  transcript?: string;
}

export interface PartEnd {
  type: 'part-end';
  part: number;
  /**
   * Reasoning: opaque data that must be sent back byte for byte. Tool call: Gemini's thoughtSignature when it came
   * late.
   */
  signature?: string;
  encrypted?: string;
}

export interface UsageUpdate {
  type: 'usage-update';
  usage: Usage;
}

export interface ResponseEnd {
  type: 'response-end';
  /** One per choice, at the choice's index. */
  finishes: Finish[];
  /** The service tier of ChatResponse: providers may settle on one only while they answer. */
  serviceTier?: string;
  extras?: Extras;
}

export interface FailureEvent {
  type: 'failure';
  failure: UpstreamFailure;
}
