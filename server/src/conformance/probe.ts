/** What a probe is: requests that can be sent to any route, and what their answers must be. */
import type { ProbeId } from '@dargah/core/probes.ts';
import type { Model } from '../catalog/index.ts';
import type { ChatRequest, ChatResponse } from '../core/chat.ts';

export interface ProbeAnswer {
  response: ChatResponse;
  /** The number of pieces in which its text came. */
  pieces: number;
}

export interface ConformanceProbe {
  id: ProbeId;
  /** Whether the catalog says that the model can do this. */
  asksOf(model: Model): boolean;
  /** Sent one after the other. */
  requests: readonly ChatRequest[];
  /** Returns undefined when passed, else what was wrong, in our own text and never in a provider's. */
  check(answers: readonly ProbeAnswer[]): string | undefined;
}
