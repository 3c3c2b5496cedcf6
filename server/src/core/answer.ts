/** What the gateway returns for a request, and where its bytes go. */

export type Answer = BodyAnswer | StreamAnswer;

export interface BodyAnswer {
  kind: 'body';
  status: number;
  contentType: string;
  body: string | Uint8Array;
  headers?: Record<string, string>;
}

/**
 * An answer that is a stream. Headers may go out as soon as this is returned: the commit point has passed. `run` writes
 * the frames and never throws.
 */
export interface StreamAnswer {
  kind: 'stream';
  contentType: string;
  headers?: Record<string, string>;
  run(sink: Sink): Promise<void>;
  /** The replay buffer that keeps its frames by number, so that a reader can continue it. */
  replay?: StreamReplay;
}

export interface StreamReplay {
  /** Writes all frames after the first `after`, until the answer ends or the reader leaves. */
  play(sink: Sink, after: number): Promise<void>;
  /** Called once with everything that was written, or with undefined when the answer is incomplete. */
  onEnd(listener: (whole: Uint8Array | undefined) => void): void;
}

/** Receives frames. `write` returns a promise when the reader is slower than we are. */
export interface Sink {
  write(data: string | Uint8Array): Promise<void> | undefined;
  /** Ends the answer. Nothing may be written afterwards. */
  end(): void;
  /** Writes the last bytes and ends the answer in one step, where that is cheaper. */
  endWith?(last: string): void;
  /** Cuts the connection: an answer that can no longer be completed must not look complete. */
  cut(): void;
  readonly gone: boolean;
}

export function jsonAnswer(value: unknown, status = 200): BodyAnswer {
  return { kind: 'body', status, contentType: 'application/json; charset=utf-8', body: JSON.stringify(value) };
}
