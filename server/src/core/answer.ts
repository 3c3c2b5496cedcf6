/** What the gateway gives back for a request, and where its bytes go. */

export type Answer = BodyAnswer | StreamAnswer;

export interface BodyAnswer {
  kind: 'body';
  status: number;
  contentType: string;
  body: string | Uint8Array;
  headers?: Record<string, string>;
}

/** Headers may go out as soon as this is returned: the commit point has passed. `run` writes the frames and never throws. */
export interface StreamAnswer {
  kind: 'stream';
  contentType: string;
  headers?: Record<string, string>;
  run(sink: Sink): Promise<void>;
  /** Where its frames are kept by their numbers, so that it can be continued. */
  replay?: StreamReplay;
}

export interface StreamReplay {
  /** Everything after the first `after` frames, until the answer ends or the reader leaves. */
  play(sink: Sink, after: number): Promise<void>;
  /** Called once, with all that was written; with undefined where that is not whole. */
  onEnd(listener: (whole: Uint8Array | undefined) => void): void;
}

/** Where frames go. `write` returns a promise when the reader is slower than we are. */
export interface Sink {
  write(data: string | Uint8Array): Promise<void> | undefined;
  /** Ends the answer. Nothing may be written afterwards. */
  end(): void;
  /** The last write and the end in one, where that is cheaper. */
  endWith?(last: string): void;
  /** Cuts the connection: for an answer that can no longer be completed and must not look complete. */
  cut(): void;
  readonly gone: boolean;
}

export function jsonAnswer(value: unknown, status = 200): BodyAnswer {
  return { kind: 'body', status, contentType: 'application/json; charset=utf-8', body: JSON.stringify(value) };
}
