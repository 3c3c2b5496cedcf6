/** How found passages are put in order: by a model that the operator named, through the gateway, charged like any request. */
import type { KeySnapshot } from '../keys/index.ts';

export interface RankingOrder {
  /** Who pays. */
  accountId: string;
  /** The bases that were searched. */
  baseIds: readonly string[];
  /** The caller of a search. */
  key?: KeySnapshot;
  query: string;
  texts: string[];
}

export interface Reranker {
  /** Whether a model is named now. */
  isNamed(): boolean;
  /** Places of the texts, best first; undefined where no model is named. Throws GatewayError, also when the wallet does not cover it. */
  rank(order: RankingOrder): Promise<number[] | undefined>;
}
