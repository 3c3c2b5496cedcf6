/** What a probe is: requests that any route could be sent, and what their answers must be. */
import type { ProbeId } from '@dargah/core/probes.ts';
import type { Model } from '../catalog/index.ts';
import type { ChatRequest, ChatResponse } from '../core/chat.ts';

export interface ProbeAnswer {
  response: ChatResponse;
  /** In how many pieces its text came. */
  pieces: number;
}

export interface ConformanceProbe {
  id: ProbeId;
  /** Whether the model is said to have what is asked. */
  asksOf(model: Model): boolean;
  /** Sent one after the other. */
  requests: readonly ChatRequest[];
  /** Undefined: passed; else what was wrong, in our own words and never in a provider's. */
  check(answers: readonly ProbeAnswer[]): string | undefined;
}
