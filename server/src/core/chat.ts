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
  /** Chat protocol only: does the client want usage in its stream, undefined where it does not say. Other protocols always carry it. */
  includeUsage: boolean | undefined;
  /** The end user's identifier (`user`, `metadata.user_id`, `safety_identifier`). */
  user?: string;
  svc: ServiceExtension;
  /** Nothing of a stream goes out before it is whole: its answer is guaranteed. Set by the request path. */
  heldBack?: true;
  extras: Extras;
  priced?: PricedExtras;
}

/** What of `extras` changes a price. The protocol that understands them says so here, and sends them from `extras`. */
export interface PricedExtras {
  /** The whole prompt is to be kept in the provider's cache for so long. */
  cachesPrompt?: '5m' | '1h';
  /** The answer is to be spoken. */
  speaks?: true;
  /** What the client expects to be answered: what of it does not come true is charged as if it had been said. */
  prediction?: Json;
  /** The client's protocol, where one of the two below is asked for: only its speakers understand them. */
  protocol?: ProtocolId;
  /** The service tier that the client asks for. */
  tier?: AskedTier;
  /** Tools that the provider is to run. */
  hosted?: HostedCalls;
}

/** `auto`: whichever the provider chooses. */
export type AskedTier = ServiceTier | 'auto';

/** Tools that the provider runs, with bounds: what they may cost at most is held. */
export interface HostedCalls {
  /** Only a provider of this protocol can run them. */
  protocol: ProtocolId;
  uses: HostedUse[];
  /** Calls of all of them together, where the protocol bounds them so. */
  total?: number;
  /** Offered as coding agents always do, beside tools of the client's own. */
  isHabit?: true;
}

export interface HostedUse {
  /** Its place in `tools`. */
  index: number;
  type: string;
  calls: number;
  /** The most it uses of each. */
  most: Partial<Record<ToolBucket, number>>;
  /** The most that a call adds to what the model reads. */
  resultTokens: number;
  /** Offered by habit: where it is not sold, the request is answered without it. */
  optional: boolean;
}

/** What requests of every endpoint have in common with chats. */
export type AnyRequest = Pick<ChatRequest, 'model' | 'svc'>;

export interface ServiceExtension {
  knowledgeBaseIds: string[];
  routing?: RoutingPreferences;
  /** Only tell what would happen: nothing is sent, held or charged. */
  dryRun?: true;
  /** A stream can be continued while it runs and for so long afterwards; 0: its provider is stopped when the reader leaves. */
  resumeSeconds?: number;
  /** An equal request of the account may be given this answer, or this one an earlier one, for so many seconds; 0: not this time. */
  cacheSeconds?: number;
  /** What the caller counts it for, `name` or `name:value`; in the log, the usage and exports. */
  tags?: string[];
  /** The answer is guaranteed (ADR 0069): held back, judged, repaired or asked once more, else free. */
  guarantee?: boolean;
  /** The request as it was sent to the provider is told with the answer. */
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
  /** Another route goes on with a stream whose provider broke off; undefined leaves it to the key. */
  continue?: boolean;
  /** What whoever answers must state about data. */
  data?: DataDemand;
  /** How `auto` chooses, and among which of its models. */
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
 * Reasoning the model showed. `signature` and `encrypted` are opaque and must come back byte for byte to the protocol
 * that made them (`origin`); another protocol gets the text alone or nothing.
 */
export interface ReasoningPart extends PartBase {
  kind: 'reasoning';
  text: string;
  /** true: `text` is a summary, not the raw chain. */
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
  /** Where in the answer's text part it applies, when known. */
  start?: number;
  end?: number;
  title?: string;
  url?: string;
  quote?: string;
  /** Which of the passages that the gateway gave the model, from 1; undefined for sources the provider found. */
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
  /** Should the reasoning be shown (`reasoning.summary`, `thinking.display`). */
  summary?: string;
  extras?: Extras;
}

export type FinishKind = 'stop' | 'length' | 'tool-calls' | 'content-filter';

/** Unified and raw side by side: the raw word goes back to a client of the same protocol. */
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
