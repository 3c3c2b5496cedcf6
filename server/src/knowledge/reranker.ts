/**
 * Orders the passages that were found: by a model that the operator named, through the gateway, charged like any
 * request.
 */
import type { KeySnapshot } from '../keys/index.ts';

export interface RankingOrder {
  /** The account that pays. */
  accountId: string;
  /** The bases that were searched. */
  baseIds: readonly string[];
  /** The caller of a search. */
  key?: KeySnapshot;
  query: string;
  texts: string[];
}

export interface Reranker {
  /** True when a model is named now. */
  isNamed(): boolean;
  /**
   * Indexes of the texts, best first; undefined where no model is named. Throws GatewayError, also when the wallet does
   * not cover it.
   */
  rank(order: RankingOrder): Promise<number[] | undefined>;
}
