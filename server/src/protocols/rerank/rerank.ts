/** Reranking in canonical form: a query and documents in, their indices and scores out. */
import type { ServiceExtension } from '../../core/chat.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/usage.ts';

export interface RerankRequest {
  /** The model as the client wrote it; undefined for the key's default. */
  model: string | undefined;
  query: string;
  /** There is at least one. */
  documents: string[];
  topN?: number;
  returnDocuments: boolean;
  maxTokensPerDocument?: number;
  user?: string;
  svc: ServiceExtension;
  /** Fields of the client's body we do not model. */
  extras: JsonObject;
}

export interface RankedDocument {
  /** The document's index in the request. */
  index: number;
  /** The score in the model's own range: logits are negative, so it is never cut to 0…1. */
  score: number;
}

export interface RerankResponse {
  /** The best stands first. */
  results: RankedDocument[];
  /** What the provider counted: searches, tokens, both or nothing. */
  counted: Usage['buckets'];
  /** The answer as the provider wrote it. */
  raw?: JsonObject;
}
