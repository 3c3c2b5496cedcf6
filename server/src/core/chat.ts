/**
 * The canonical chat: the one form in which every client protocol and every upstream protocol meet.
 * It is ours, part-based, and knows no vendor. What we do not model travels in `extras`, keyed by the protocol it came in,
 * so that a hop between two speakers of the same protocol loses nothing.
 */

import type { AutoPreference } from '@dargah/core/auto-router.ts';
import type { ProtocolId, ServiceTier } from '@dargah/core/catalog-terms.ts';
import type { DataDemand } from '@dargah/core/data-policy.ts';
import type { Json, JsonObject } from './json.ts';
import type { ToolBucket, Usage } from './usage.ts';

export { PROTOCOL_IDS, type ProtocolId } from '@dargah/core/catalog-terms.ts';

/** Unmodelled fields of one object, kept under the protocol that understands them. */
export type Extras = Partial<Record<ProtocolId, JsonObject>>;

export interface ChatRequest {
  /** As the client wrote it: an id, `group:<name>`, or undefined for the key's default. */
  model: string | undefined;
  messages: Message[];
  tools: Tool[];
  toolChoice?: ToolChoice;
  parallelToolCalls?: boolean;
  output: OutputKind;
  sampling: Sampling;
  /** Upper bound on output tokens, reasoning included. */
  maxOutputTokens?: number;
  reasoning?: ReasoningRequest;
  stream: boolean;
  /**
   * Chat protocol only: whether the client wants usage in its stream; undefined where it does not say. Other protocols
   * always carry it.
   */
  includeUsage: boolean | undefined;
  /** The end user's identifier (`user`, `metadata.user_id`, `safety_identifier`). */
  user?: string;
  svc: ServiceExtension;
  /**
   * Set by the request path for a guaranteed answer: nothing of the stream goes out before all of it has been checked.
   */
  heldBack?: true;
  extras: Extras;
  priced?: PricedExtras;
}

/**
 * The parts of `extras` that change a price. The protocol that understands them sets these, and still sends them from
 * `extras`.
 */
export interface PricedExtras {
  /** For how long the provider is to keep the whole prompt in its cache. */
  cachesPrompt?: '5m' | '1h';
  /** The client wants a spoken answer. */
  speaks?: true;
  /** Predicted output: tokens of it that the answer does not use are charged as output. */
  prediction?: Json;
  /**
   * The client's protocol, set together with one of the two fields below, because only its speakers understand them.
   */
  protocol?: ProtocolId;
  /** The service tier that the client asks for. */
  tier?: AskedTier;
  /** Tools that the provider runs. */
  hosted?: HostedCalls;
}

/** `auto`: the provider chooses the tier. */
export type AskedTier = ServiceTier | 'auto';

/** Tools that the provider runs, with bounds, from which the hold for them is made. */
export interface HostedCalls {
  /** The protocol whose providers can run them. */
  protocol: ProtocolId;
  uses: HostedUse[];
  /** The most calls of all tools together, where the protocol has such a bound. */
  total?: number;
  /** Coding agents offer these tools with every request, beside the client's own. */
  isHabit?: true;
}

export interface HostedUse {
  /** Its index in `tools`. */
  index: number;
  type: string;
  calls: number;
  /** The most that it uses of each bucket. */
  most: Partial<Record<ToolBucket, number>>;
  /** The most tokens that one call adds to the model's input. */
  resultTokens: number;
  /** The client always offers it, so where it is not sold the request is answered without it. */
  optional: boolean;
  /** What it reads at the provider, by the provider's id, and the field that names it. */
  reaches?: { id: string; param: string };
}

/** What requests of every endpoint have in common with chats. */
export type AnyRequest = Pick<ChatRequest, 'model' | 'svc'>;

export interface ServiceExtension {
  knowledgeBaseIds: string[];
  routing?: RoutingPreferences;
  /** A dry run: tells what would happen; nothing is sent, held or charged. */
  dryRun?: true;
  /**
   * How long a stream can be continued after it has ended; 0: the provider is stopped when the reader
   * leaves.
   */
  resumeSeconds?: number;
  /**
   * For how many seconds equal requests of the account may get this answer, and this one an earlier answer; 0 switches
   * the cache off for this request.
   */
  cacheSeconds?: number;
  /** Tags of the caller, `name` or `name:value`, shown in the log, the usage and exports. */
  tags?: string[];
  /**
   * The answer is guaranteed (ADR 0069): held back, checked, then repaired or asked once more, and free if it stays
   * invalid.
   */
  guarantee?: boolean;
  /** The answer also tells the request as it was sent to the provider. */
  debug?: 'upstream';
}

/** `svc.routing`: the caller's preferences, always within the key's rules. */
export interface RoutingPreferences {
  only?: string[];
  ignore?: string[];
  order?: string[];
  sort?: 'price' | 'latency';
  /** Toman per million tokens. */
  maxPrice?: { input?: number; output?: number };
  /** Fallback models, tried in this order after the requested one. */
  models?: string[];
  /** Whether another route continues a stream whose provider broke off; undefined leaves it to the key. */
  continue?: boolean;
  /** What providers must state about data. */
  data?: DataDemand;
  /** How `auto` chooses, and among which models. */
  auto?: { prefer?: AutoPreference; models?: string[] };
}

export type Role = 'system' | 'developer' | 'user' | 'assistant' | 'tool';

/**
 * One turn. A `tool` message holds only tool-result parts (one or more). System text may stand anywhere in the list;
 * codecs whose wire has a single system slot join the leading ones.
 */
export interface Message {
  role: Role;
  parts: Part[];
  /** Participant name of the OpenAI protocol. */
  name?: string;
  extras?: Extras;
}

export type Part =
  | TextPart
  | ImagePart
  | AudioPart
  | FilePart
  | ReasoningPart
  | ToolCallPart
  | ToolResultPart
  | RefusalPart;

interface PartBase {
  /** Prompt-cache marker of the Anthropic protocol; `ttl` as given. */
  cacheControl?: { ttl?: '5m' | '1h' };
  extras?: Extras;
}

export interface TextPart extends PartBase {
  kind: 'text';
  text: string;
  citations?: Citation[];
}

export type MediaSource =
  | { kind: 'url'; url: string }
  /** `data` is base64 without the `data:` prefix. */
  | { kind: 'data'; mediaType: string; data: string }
  /** A file stored at the provider. */
  | { kind: 'file-id'; id: string };

export interface ImagePart extends PartBase {
  kind: 'image';
  source: MediaSource;
  detail?: 'auto' | 'low' | 'high' | 'original';
}

export interface AudioPart extends PartBase {
  kind: 'audio';
  /** `wav`, `mp3`, … as the OpenAI protocol names it. */
  format: string;
  data: string;
  /** Transcript and id of audio the model itself spoke. */
  transcript?: string;
  id?: string;
}

export interface FilePart extends PartBase {
  kind: 'file';
  source: MediaSource | { kind: 'text'; text: string };
  mediaType?: string;
  name?: string;
}

/**
 * Reasoning that the model showed. `signature` and `encrypted` are opaque and must come back byte for byte to the
 * protocol that made them (`origin`); another protocol gets only the text, or nothing.
 */
export interface ReasoningPart extends PartBase {
  kind: 'reasoning';
  text: string;
  /** True when `text` is a summary and not the raw reasoning. */
  summary?: boolean;
  signature?: string;
  /** `redacted_thinking.data` or Responses `encrypted_content`. */
  encrypted?: string;
  id?: string;
  origin?: ProtocolId;
}

export interface ToolCallPart extends PartBase {
  kind: 'tool-call';
  id: string;
  name: string;
  /** JSON text as the model wrote it; may be invalid. Empty means `{}`. */
  arguments: string;
  /** Namespace of a Responses `namespace` tool. */
  namespace?: string;
  /** Gemini's thoughtSignature; must survive the client's round trip. */
  signature?: string;
  /** Free-text (`custom`) tool: arguments is plain text. */
  custom?: boolean;
}

export interface ToolResultPart extends PartBase {
  kind: 'tool-result';
  callId: string;
  /** Text, images and files only. */
  content: Part[];
  isError?: boolean;
}

export interface RefusalPart extends PartBase {
  kind: 'refusal';
  text: string;
}

export interface Citation {
  /** Which span of the answer's text part it belongs to, when known. */
  start?: number;
  end?: number;
  title?: string;
  url?: string;
  quote?: string;
  /**
   * The number of the passage that the gateway gave the model, from 1; undefined for sources that the provider found.
   */
  passage?: number;
  extras?: Extras;
}

export interface Tool {
  kind: 'function' | 'custom';
  name: string;
  description?: string;
  /** JSON Schema of the arguments; absent means "no arguments". */
  parameters?: JsonObject;
  strict?: boolean;
  namespace?: string;
  cacheControl?: { ttl?: '5m' | '1h' };
  extras?: Extras;
}

export type ToolChoice =
  | { kind: 'auto' }
  | { kind: 'none' }
  | { kind: 'required' }
  | { kind: 'tool'; name: string; namespace?: string }
  /** OpenAI's `allowed_tools`. */
  | { kind: 'allowed'; mode: 'auto' | 'required'; names: string[] };

export type OutputKind =
  | { kind: 'text' }
  | { kind: 'json' }
  | { kind: 'json-schema'; name: string; schema: JsonObject; description?: string; strict?: boolean };

export interface Sampling {
  temperature?: number;
  topP?: number;
  topK?: number;
  seed?: number;
  stop?: string[];
  presencePenalty?: number;
  frequencyPenalty?: number;
  logitBias?: JsonObject;
  /** How many answers; 1 when absent. */
  count?: number;
  logprobs?: boolean;
  topLogprobs?: number;
}

export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

export interface ReasoningRequest {
  effort?: ReasoningEffort;
  budgetTokens?: number;
  /** Anthropic's switch; `adaptive` lets the model decide. */
  mode?: 'enabled' | 'adaptive' | 'disabled';
  /** Whether the reasoning is to be shown (`reasoning.summary`, `thinking.display`). */
  summary?: string;
  extras?: Extras;
}

export type FinishKind = 'stop' | 'length' | 'tool-calls' | 'content-filter';

/**
 * The finish reason in our terms and as the provider wrote it: the raw one goes back to clients of the same protocol.
 */
export interface Finish {
  kind: FinishKind;
  raw?: string;
  stopSequence?: string;
}

/** A whole answer: what a stream of events folds into. */
export interface ChatResponse {
  id?: string;
  model?: string;
  /** Unix seconds. */
  created?: number;
  choices: Choice[];
  usage?: Usage;
  /** The class of service the provider says it gave (`default`, `priority`, `flex`, …). */
  serviceTier?: string;
  extras?: Extras;
}

export interface Choice {
  index: number;
  parts: Part[];
  finish: Finish;
  /** OpenAI's logprobs object, passed through. */
  logprobs?: JsonObject;
}
