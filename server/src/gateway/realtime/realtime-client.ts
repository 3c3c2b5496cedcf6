/** What a realtime session knows of its client, and of how it was opened. */
import type { GatewayError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import type { Call } from '../call.ts';

/** The client's side of the session. */
export interface RealtimeClient {
  readonly gone: boolean;
  /** Makes a call of its own for one response. */
  call(): Call;
  authenticate(call: Call): Promise<KeySnapshot>;
  /** Returns a promise when the reader is slower than we are. */
  send(text: string): Promise<void> | undefined;
  /** The error in the client's protocol. The refusal is logged and gets its row. */
  explain(call: Call, error: unknown): Promise<{ shown: GatewayError; error: Json | undefined }>;
  close(code: number, reason: string): void;
  /** Whether a response is being made. */
  busy(isBusy: boolean): void;
}

/** What was asked for when the connection was opened. */
export interface RealtimeTerms {
  model: string | undefined;
  /** Settings that a client secret brings. */
  session: JsonObject | undefined;
}
