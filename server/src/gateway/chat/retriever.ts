/** What the knowledge domain offers to the request path. */
import type { ChatRequest } from '../../core/chat.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { Reference } from '../../protocols/index.ts';
import type { PassageRecord } from '../../requestlog/index.ts';

export interface Grounded {
  request: ChatRequest;
  references: Reference[];
}

export interface Retriever {
  /** The ids that the key's account does not have: unknown or foreign, which must look alike. */
  unknown(ids: string[], key: KeySnapshot): Promise<string[]>;
  /** The most tokens that passages take, for the hold. */
  readonly budgetTokens: number;
  /** The request with passages in front of the model, and where they came from: for the answer, and for the receipt. */
  ground(
    request: ChatRequest,
    baseIds: string[],
    key: KeySnapshot,
  ): Promise<Grounded & { tokens: number; passages: PassageRecord[] }>;
}
