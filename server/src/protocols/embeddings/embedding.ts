/** Embeddings in canonical form: texts or tokens in, vectors out. They are small enough to need no parts and no events. */
import type { ProtocolId, ServiceExtension } from '../../core/chat.ts';
import type { UpstreamFailure } from '../../core/failure.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { BUCKETS, type Usage } from '../../core/usage.ts';
import type { HttpParts, Quirks } from '../protocol.ts';

export type EmbeddingEncoding = 'float' | 'base64';

/** What one number of a vector is. Quantised vectors are whole numbers of one byte, eight dimensions to the byte in `binary`. */
export type NumberKind = 'float' | 'int8' | 'uint8' | 'binary' | 'ubinary';

export interface EmbeddingRequest {
  /** The model as the client wrote it; undefined for the key's default. */
  model: string | undefined;
  /** Each is a text or the tokens of one; there is at least one. */
  inputs: (string | number[])[];
  dimensions?: number;
  /** How the client wants its vectors, whatever the provider sends. */
  encoding: EmbeddingEncoding;
  /** `output_dtype` of Voyage and Mistral; absent means `float`. */
  numbers?: NumberKind;
  user?: string;
  svc: ServiceExtension;
  /** Fields of the client's body we do not model. */
  extras: JsonObject;
}

/** Doubles as the provider wrote them, or the 32-bit floats it packed. */
export type Vector = readonly number[] | Float32Array;

export interface EmbeddingResponse {
  model?: string;
  /** They stand in the order of the inputs. */
  vectors: Vector[];
  /** Absent where the provider counts nothing; the gateway then charges its own count. */
  usage?: Usage;
}

export interface EmbeddingTarget {
  /** The provider's name of the model. */
  model: string;
  quirks: Quirks;
}

export interface EmbeddingUpstreamCodec {
  readonly protocol: ProtocolId;
  /** Throws GatewayError invalid_request for what this protocol cannot carry. At most `maxInputs(target)` inputs. */
  encodeRequest(request: EmbeddingRequest, target: EmbeddingTarget): HttpParts;
  decodeResponse(body: Json, request: EmbeddingRequest, target: EmbeddingTarget): EmbeddingResponse | UpstreamFailure;
  decodeFailure(status: number, headers: Record<string, string>, text: string): UpstreamFailure;
  /** More inputs than this go in several calls: splitInputs, then joinResponses. */
  maxInputs(target: EmbeddingTarget): number;
}

export function splitInputs(request: EmbeddingRequest, maxInputs: number): EmbeddingRequest[] {
  const batches: EmbeddingRequest[] = [];
  for (let at = 0; at < request.inputs.length; at += maxInputs) {
    batches.push({ ...request, inputs: request.inputs.slice(at, at + maxInputs) });
  }
  return batches;
}

/**
 * Joins the batches' answers. A batch without usage makes the whole unknown, because a partial sum would be too low.
 */
export function joinResponses(responses: readonly EmbeddingResponse[]): EmbeddingResponse {
  const vectors = responses.flatMap((response) => response.vectors);
  const model = responses[0]?.model;
  const usage = mergeCounts(responses.map((response) => response.usage));
  return { vectors, ...(model !== undefined && { model }), ...(usage && { usage }) };
}

export function isEmbeddingFailure(value: EmbeddingResponse | UpstreamFailure): value is UpstreamFailure {
  return 'kind' in value;
}

/** Sums the usage of several calls. Unlike reports within one stream they do not overlap. Undefined when one reported nothing. */
function mergeCounts(usages: readonly (Usage | undefined)[]): Usage | undefined {
  const [first] = usages;
  if (usages.length === 1) return first;
  const total: Usage = { buckets: {}, source: 'upstream' };
  const raw: Json[] = [];
  for (const usage of usages) {
    if (!usage) return undefined;
    if (usage.raw !== undefined) raw.push(usage.raw);
    for (const bucket of BUCKETS) {
      const units = usage.buckets[bucket];
      if (units !== undefined) total.buckets[bucket] = (total.buckets[bucket] ?? 0) + units;
    }
  }
  if (usages.length === 0) return undefined;
  return raw.length > 0 ? { ...total, raw } : total;
}
