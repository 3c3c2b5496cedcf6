/** Turns texts into vectors through the gateway's own embeddings path, charged to the owner like any request. */
import type { KeySnapshot } from '../keys/index.ts';

export interface EmbeddingOrder {
  /** The account that pays. */
  accountId: string;
  /** The bases that hold these texts, or that are searched. */
  baseIds: readonly string[];
  /** The caller of a search; undefined for work in the background. */
  key?: KeySnapshot;
  model: string;
  texts: string[];
}

export interface Embedder {
  /** Vectors in the order of the texts. Throws GatewayError, also when the wallet does not cover it. */
  embed(order: EmbeddingOrder): Promise<Float32Array[]>;
}
