/**
 * Answers that outlive their connection (`background: true`). The client gets the stored beginning at once and polls
 * for the end. The request runs as any other stream, for a reader that only waits for its end, so what was generated
 * before a cancellation is known and charged.
 */

import { type Answer, jsonAnswer, type Sink, type StreamAnswer } from '../../core/answer.ts';
import { asGatewayError, GatewayError, invalidRequest } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import { JSON_MEMORY_FACTOR } from '../../platform/memory-budget.ts';
import { type ClientView, failedResponse, responseObject } from '../../protocols/index.ts';
import type { ResponseStore, StoredResponse } from '../../responses/index.ts';
import { authenticate } from '../admit/authenticate.ts';
import { checkBeforeParsing } from '../admit/large-body.ts';
import { readJsonBody } from '../admit/read-body.ts';
import { answerOrReplay } from '../admit/replay.ts';
import type { Call } from '../call.ts';
import type { ClientProtocol, Gateway } from '../gateway.ts';
import { gatewayReasons } from '../reasons.ts';
import { memoryOf } from '../request-memory.ts';
import type { BackgroundAnswers, BackgroundSlot } from './background-slots.ts';

/** Parses the body only when it contains the word "background". A caller without a valid key is refused as on every endpoint. */
export async function asksBackground(call: Call, gw: Gateway): Promise<false | 'whole' | 'stream'> {
  const { buffer, byteOffset, byteLength } = call.body;
  if (!Buffer.from(buffer, byteOffset, byteLength).includes('"background"')) return false;
  const key = await authenticate(call, gw);
  await checkBeforeParsing(call, key, gw);
  const { background, stream } = readJsonBody(call);
  if (background !== true) return false;
  return stream === true ? 'stream' : 'whole';
}

export function checkBackground({ store }: JsonObject): void {
  if (store === false) throw invalidRequest('background', gatewayReasons.backgroundMustBeStored);
}

/** Nothing is stored for this account, or the body is too large to store. */
export function notStorable(): GatewayError {
  return invalidRequest('background', gatewayReasons.cannotBeStored);
}

export interface InBackground {
  call: Call;
  protocol: ClientProtocol;
  store: ResponseStore;
  answers: BackgroundAnswers;
  /** Runs the request, as a stream; its end is stored on the way to the sink. */
  answer(call: Call, protocol: ClientProtocol): Promise<Answer>;
  /** A response object as this request's answer is stored. */
  stored(response: JsonObject): StoredResponse;
  /** The client reads from the beginning, and may come back for the rest. */
  streams: boolean;
}

export async function answerInBackground(work: InBackground, gw: Gateway): Promise<Answer> {
  const { call } = work;
  const key = await authenticate(call, gw);
  if (call.idempotencyKey === undefined) return start(work, key, gw);
  return answerOrReplay(call, call.idempotencyKey, key, gw, () => start(work, key, gw));
}

/** Resolves when the request was refused, or was admitted and its beginning is stored. */
async function start(work: InBackground, key: KeySnapshot, gw: Gateway): Promise<Answer> {
  const slot = work.answers.enter(key.account.id, work.call.body.byteLength);
  const own = withOwnMetadata(work.call, slot);
  try {
    // A large body has its share already.
    if (!work.call.metadata.memory) await memoryOf(own, gw).reserve('bodies', own.body.length * JSON_MEMORY_FACTOR);
  } catch (error) {
    slot.leave();
    throw error;
  }
  work.call.metadata.memory = undefined;
  return new Promise((resolve, reject) => {
    let view: ClientView | undefined;
    const whenAdmitted = async (known: ClientView): Promise<void> => {
      await begin(work, known, slot);
      view = known;
      if (work.streams) return;
      tell(own, work.call);
      resolve(jsonAnswer(responseObject(known, { status: 'queued', output: [] })));
    };
    const whenBegun = (stream: StreamAnswer): void => {
      // The Idempotency-Key of the first answer is settled by how the whole answer ends.
      stream.replay?.onEnd(() => tell(own, work.call));
      tell(own, work.call);
      resolve(stream);
    };
    const failed = (error: unknown): void => {
      if (!view) {
        tell(own, work.call);
        reject(error);
      }
      // Whoever cancelled the answer has written its end already.
      else if (!slot.client.gone) keepFailure(error, view, work, gw);
      // Has no effect once the answer has begun.
      reject(error);
    };
    run(work, own, whenAdmitted, whenBegun)
      // A request without a beginning was a dry run.
      .then((answer) => {
        if (view) {
          checkEnd(view, slot, work, gw);
          return;
        }
        tell(own, work.call);
        resolve(answer);
      })
      .catch(failed)
      .finally(() => {
        slot.leave();
        own.metadata.memory?.release();
      });
  });
}

/** The work goes on after its first answer was sent, so its memory must not be released with that answer. */
function withOwnMetadata({ mayCharge: _mayCharge, ...call }: Call, { client }: BackgroundSlot): Call {
  // The Idempotency-Key belongs to the first answer, the stored beginning; the finished answer is found by its id.
  return { ...call, idempotencyKey: undefined, client, metadata: { ...call.metadata } };
}

/** The first answer's headers contain what is known by then. */
function tell({ metadata }: Call, caller: Call): void {
  const { memory: _memory, ...known } = metadata;
  Object.assign(caller.metadata, known);
}

async function run(
  { protocol, answer, streams }: InBackground,
  call: Call,
  whenAdmitted: (view: ClientView) => Promise<void>,
  whenBegun: (stream: StreamAnswer) => void,
): Promise<Answer> {
  const answered = await answer(call, { ...protocol, whenAdmitted, ...(streams && { continued: true as const }) });
  if (answered.kind === 'body') return answered;
  const { replay } = answered;
  if (streams && replay) whenBegun({ ...answered, run: (sink) => replay.play(sink, 0) });
  await answered.run(new UnreadSink(call.client));
  return answered;
}

/** Stored before any provider is asked: an answer that could not be found later must not be made. */
async function begin({ call, store, stored }: InBackground, view: ClientView, slot: BackgroundSlot): Promise<void> {
  if (call.mayCharge && !(await call.mayCharge())) throw new GatewayError('conflict', { param: 'Idempotency-Key' });
  try {
    await store.begin(stored(responseObject(view, { status: 'in_progress', output: [] })));
  } catch (cause) {
    throw new GatewayError('overloaded', { retryAfterMs: 2_000, cause });
  }
  slot.begun(view.responseId);
}

function keepFailure(error: unknown, view: ClientView, { store, stored }: InBackground, { log }: Gateway): void {
  const shown = asGatewayError(error);
  log.warn({ requestId: view.requestId, err: error }, 'an answer in the background failed');
  store.end(stored(failedResponse(shown, view, [])));
}

/** A stream that ended without its last event must not look as if it were still running. */
function checkEnd(view: ClientView, { client }: BackgroundSlot, work: InBackground, gw: Gateway): void {
  if (client.gone || !work.store.isRunning(view.responseId)) return;
  keepFailure(new GatewayError('internal_error'), view, work, gw);
}

class UnreadSink implements Sink {
  readonly #client: { readonly gone: boolean };

  constructor(client: { readonly gone: boolean }) {
    this.#client = client;
  }

  get gone(): boolean {
    return this.#client.gone;
  }

  write(): undefined {}
  end(): void {}
  cut(): void {}
}
