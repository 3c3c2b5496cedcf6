/** What a request under an Idempotency-Key hears when it asks for its claim. */
import type { StreamAnswer } from '../../core/answer.ts';
import type { SharedAnswer } from './shared-answer.ts';

export type Claimed =
  /** This request may answer under the key. */
  | { kind: 'ours' }
  /** The database cannot be asked, so this request may answer on the word of this process alone. */
  | { kind: 'unavailable' }
  | { kind: 'answered'; requestId: string; expiresAt: number; answer: SharedAnswer }
  /** Answered and charged, but the answer itself is not kept. */
  | { kind: 'answer-gone'; requestId: string }
  | { kind: 'other-body' }
  /** Being answered elsewhere, as a stream that can be followed. */
  | { kind: 'joined'; requestId: string; stream: StreamAnswer }
  /** Still being answered elsewhere when the caller's time was up. */
  | { kind: 'running'; requestId?: string };

/** Finds a stream that another replica makes under this request id. */
export type Join = (requestId: string) => Promise<StreamAnswer | undefined>;
