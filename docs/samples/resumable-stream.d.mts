/** Types of the small client for streams that go on where their connection broke. */
export interface StreamEvent {
  /** Its number; 0 where the stream is not kept. */
  id: number;
  event: string;
  data: string;
}

export interface StreamOptions {
  tries?: number;
  pauseMs?: number;
  onRequest?: (id: string) => void;
  /** Where a stream is continued, if not at `/api/v1/requests/{id}/stream` of the service. */
  addressOf?: (id: string) => string;
}

/** A refusal; its message is the body of the answer. */
export interface StreamRefusal extends Error {
  status: number;
  id: string | null;
}

export function streamEvents(url: string, init: RequestInit, options?: StreamOptions): AsyncGenerator<StreamEvent>;
export function continueEvents(
  url: string,
  id: string,
  last: number,
  init: RequestInit,
  options?: StreamOptions,
): AsyncGenerator<StreamEvent>;
