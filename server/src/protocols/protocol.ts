/**
 * What a protocol is. Every codec is pure: no I/O, no clock, no randomness; what it needs of those is passed in. A
 * protocol has up to three sides: ClientCodec (its speakers call us), UpstreamCodec (we call its speakers) and
 * RelayCodec (both sides speak it, so bodies and frames are patched instead of translated).
 */

import type { GuaranteeState } from '@dargah/core/guarantee-states.ts';
import type { Language } from '@dargah/core/text.ts';
import type { ChatRequest, ChatResponse, ProtocolId } from '../core/chat.ts';
import type { GatewayError } from '../core/errors.ts';
import type { ChatEvent } from '../core/events.ts';
import type { UpstreamFailure } from '../core/failure.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { Money } from '../core/money.ts';
import type { Usage } from '../core/usage.ts';
import type { FramePiece, FrameSchema } from './frame-shape.ts';

/** One server-sent event. `json` is parsed once and shared by the decoder and the relay; undefined when `data` is not JSON. */
export interface SseFrame {
  readonly event: string | undefined;
  readonly data: string;
  readonly json: Json | undefined;
  /** Set where the frame has the shape of its neighbours (frame-shape.ts). */
  piece?: FramePiece | undefined;
  /** Set where the frame stands for several of one shape (frame-run.ts). */
  readonly run?: RunOfFrames;
}

/** Frames of one shape that came together (frame-run.ts). */
export interface RunOfFrames extends SseFrame {
  readonly shape: FrameSchema;
  /** One per frame, none of them empty. */
  readonly words: readonly string[];
  /** All words in one text. */
  readonly text: string;
  frame(at: number): SseFrame;
}

/** How the answer must look to this client. */
export interface ClientView {
  requestId: string;
  /** The id the answer carries, as the protocol writes ids (`chatcmpl-…`, `msg_…`, `resp_…`). */
  responseId: string;
  /** The public model id, whatever the provider calls it. */
  model: string;
  /** Unix seconds. */
  created: number;
  /** Our own count of the input, for protocols that report usage before the provider did. */
  inputEstimate: number;
  language: Language;
  /** The request as decoded; protocols that echo it (Responses) or need tool names read it here. */
  request: ChatRequest;
}

/** What is known only at the very end, when the charge is settled. */
export interface AnswerClosing {
  usage: Usage;
  cost: Money;
  references?: Reference[];
  /** Set when the output was cut to what the wallet could pay, and the like. */
  notes?: string[];
  /** The request as its provider got it (`svc.debug`). */
  upstream?: JsonObject;
  /** What became of the guarantee on the answer, where it was asked for. */
  guarantee?: GuaranteeTold;
}

export interface GuaranteeTold {
  state: GuaranteeState;
  /** The repairs that were made. */
  repairs: readonly string[];
  fault?: string | undefined;
  /** Where in the answer the fault is. */
  at?: string | undefined;
  /** Why it was not judged. */
  reason?: string | undefined;
}

/** A passage of a knowledge base given to the model. */
export interface Reference {
  index: number;
  knowledgeBaseId: string;
  documentId: string;
  title: string;
  /** The number of the passage in its document, from 1. */
  place: number;
  page?: number;
  heading?: string;
  /** Where the document was fetched from, when it was. */
  url?: string;
  excerpt: string;
  score: number;
}

export interface ClientCodec {
  readonly protocol: ProtocolId;
  /** Throws GatewayError invalid_request naming the `param`. */
  decodeRequest(body: JsonObject): ChatRequest;
  encodeResponse(response: ChatResponse, view: ClientView, closing: AnswerClosing): JsonObject;
  openEncoder(view: ClientView): StreamEncoder;
  encodeError(error: GatewayError, view: ErrorView): JsonObject;
  /** It is sent every `keepalive_ms` while nothing else is, and only between frames. */
  readonly keepAliveFrame: string;
}

export interface ErrorView {
  requestId: string;
  language: Language;
  /** The page where a person can remedy it, where the service's public address is known. */
  remedyUrl?: string | undefined;
}

/**
 * Takes canonical events and returns frames of the client's protocol (complete SSE text, '' for nothing).
 * Terminal frames come only from `finish` or `fail`, exactly one of which is called last: the charge is settled in between.
 */
export interface StreamEncoder {
  encode(event: ChatEvent): string;
  finish(closing: AnswerClosing): string;
  fail(error: GatewayError): string;
}

/** Where a request goes, as far as a codec must know. */
export interface CodecTarget {
  /** The provider's name of the model. */
  model: string;
  stream: boolean;
  /** Send at most this many output tokens upstream; undefined leaves the provider's default. */
  maxOutputTokens: number | undefined;
  /** The model's own maximum, for protocols where a limit is mandatory. */
  modelMaxOutput: number | undefined;
  capabilities: ReadonlySet<string>;
  quirks: Quirks;
}

/** Named deviations of a vendor or model from the protocol it claims to speak. Absent means "as documented". */
export interface Quirks {
  /** Which name of the output limit it takes. Default: the one of its protocol. */
  maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** It refuses `stream_options`, so whether its streams report usage is up to it. */
  rejectsStreamOptions?: boolean;
  /** It does not know the role `developer`. */
  noDeveloperRole?: boolean;
  /** Models that answer 400 to temperature, top_p, top_k: these are dropped with a warning. */
  rejectsSampling?: boolean;
  /** How reasoning is asked for in the chat protocol. Default: `reasoning_effort`. */
  reasoningStyle?: 'reasoning_effort' | 'openrouter' | 'thinking-switch' | 'none';
  /** Field in which it expects earlier reasoning to be replayed. Default: dropped. */
  replayReasoningAs?: 'reasoning_content' | 'reasoning' | 'reasoning_details';
  /** It takes Gemini's thought signatures back in `extra_content` of tool calls. Others may refuse the unknown field. */
  replaysToolSignatures?: boolean;
  /** It speaks the chat protocol with `cache_control` on parts and tools (OpenRouter). Others may refuse the unknown field. */
  takesCacheControl?: boolean;
  /** It refuses `strict` in tools. */
  rejectsStrictTools?: boolean;
  /** How it is told in the chat protocol to continue a last turn of the assistant. Default: it does so by itself. */
  begunTurn?: 'prefix' | 'partial' | 'continue_final_message';
  /** It refuses `seed`, `logit_bias`, … : top-level fields to drop with a warning. */
  dropFields?: string[];
  /** Fields beyond those of the protocol that may reach the provider though they may change its price (passed-fields.ts). */
  passFields?: string[] | 'all';
  /** Thinking must be asked for as `adaptive` + effort (newer Claude models) instead of a token budget. */
  adaptiveThinking?: boolean;
  /** Whose field names it uses for pictures. Default: OpenAI's. */
  imageStyle?: 'openai' | 'xai';
  /** The vendor whose fields and address it has for reranking. Default: Jina's, which most compatible servers took over. */
  rerankStyle?: 'cohere' | 'voyage' | 'jina' | 'tei';
  /** Azure's older address: the model is part of the path and an api-version query is needed. */
  azure?: { apiVersion: string };
  /**
   * The cloud that serves another vendor's protocol with changes: messages name the model in the path and the version
   * in the body.
   */
  cloud?: 'vertex' | 'bedrock';
  /** The region for signing at Amazon, where the address does not contain it. */
  awsRegion?: string;
  /**
   * The packing of embeddings to ask for (left out by default, because not every provider knows the field), and inputs
   * per call.
   */
  embeddings?: { encoding?: 'float' | 'base64'; maxInputs?: number };
}

export interface HttpParts {
  /** The path is appended to the provider's base address and starts with '/'. */
  path: string;
  headers: Record<string, string>;
  body: JsonObject;
  /** What was dropped of the request, for `x-svc-warnings`. */
  warnings: string[];
}

export interface UpstreamCodec {
  readonly protocol: ProtocolId;
  /** Throws GatewayError invalid_request for what this protocol cannot carry and must not lose. */
  encodeRequest(request: ChatRequest, target: CodecTarget): HttpParts;
  /** Reads a 200 with a JSON body, which may still be an error in disguise. */
  decodeResponse(body: Json, target: CodecTarget): ChatResponse | UpstreamFailure;
  /** Reads any other status. `text` is bounded by the transport. */
  decodeFailure(status: number, headers: Record<string, string>, text: string): UpstreamFailure;
  openDecoder(target: CodecTarget): StreamDecoder;
  /**
   * Whether the provider fetches this address itself; otherwise its bytes must be inlined first (inline-media.ts).
   * Absent: it fetches any.
   */
  readsUrl?(url: string, quirks: Quirks): boolean;
  /** Whether all reasoning of this request is visible. Absent: the model reasons unseen. */
  showsThinking?(request: ChatRequest, quirks: Quirks): boolean;
  /** Whether a model that is asked not to reason obeys. Absent: it does. */
  obeysNoThinking?(quirks: Quirks, model: string): boolean;
  /** The lowest output limit that providers of this protocol take; a lower one is raised to it. Absent: they take any. */
  readonly leastOutputLimit?: number;
}

/** Takes frames and emits canonical events. Each attempt has a new one, so state never leaks into the next route. */
export interface StreamDecoder {
  push(frame: SseFrame, emit: (event: ChatEvent) => void): void;
  /** The provider closed the connection. The guard turns a missing end into a failure. */
  end(emit: (event: ChatEvent) => void): void;
  /**
   * Called instead of `push` for a frame that differs from the one before in its words and its padding only: such a frame gives
   * the same event with other words, and a relay of the protocol the same frame with other words. Absent: frames of the protocol
   * never are so alike.
   */
  repeat?(text: string): void;
}

export interface RelayCodec {
  readonly protocol: ProtocolId;
  /** The client's own body with the model and limits replaced; unknown fields survive. Same result type as encodeRequest. */
  patchRequest(body: JsonObject, request: ChatRequest, target: CodecTarget): HttpParts;
  patchResponse(body: JsonObject, view: ClientView, closing: AnswerClosing): JsonObject;
  openRelay(view: ClientView): StreamRelay;
  /** Listens to the frames of one stream for text that goes to the client and that no decoder reads (unread-text.ts). */
  openUnread(): UnreadListener;
  /** Returns such text of a whole answer. */
  unreadInWhole(body: JsonObject): string;
}

export interface UnreadListener {
  /** `read` is how many characters the decoder found in this frame. */
  inFrame(frame: SseFrame, read: number): string;
}

/** Takes frames of the provider and returns frames for the client. Terminal frames wait for `finish`, as in StreamEncoder. */
export interface StreamRelay {
  /** Returns '' for a frame that is held back or hidden. */
  forward(frame: SseFrame): string;
  /** The provider was stopped in the middle: closes what is open. `finish` follows and says that the answer is not whole. */
  cutShort(): string;
  finish(closing: AnswerClosing): string;
  fail(error: GatewayError): string;
}

export function isFailure(value: ChatResponse | UpstreamFailure): value is UpstreamFailure {
  return 'kind' in value;
}
