/** Continues a stream from the replay buffer, after the last frame that its reader has. Nothing runs or is charged. */
import type { StreamAnswer } from '../core/answer.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { LAST_EVENT_ID, RESUME_SECONDS } from '../idempotency/index.ts';
import { type KeySnapshot, modelRefusal, permitsModel } from '../keys/index.ts';
import type { FoundReplay, KeptReplay } from '../replay/index.ts';
import { type CallHeaders, oneHeader } from './call.ts';
import type { Gateway } from './gateway.ts';
import { gatewayReasons } from './reasons.ts';
import { playAlive } from './settle/play-alive.ts';

const FRAME_NUMBER = /^\d{1,9}$/;
/** A text that cannot be an id is not looked up. */
const REQUEST_ID = /^[\w-]{1,64}$/;

/** How many frames the caller has. */
export function lastEventIdOf(headers: CallHeaders): number {
  const text = oneHeader(headers['last-event-id']);
  if (text === undefined || text === '') return 0;
  if (!FRAME_NUMBER.test(text)) throw invalidRequest(LAST_EVENT_ID, gatewayReasons.noFrameNumber);
  return Number(text);
}

export interface ContinuedStream {
  requestId: string;
  after: number;
  /** The field that an error about `after` names. */
  param: string;
  /** The only person who may read it, in the playground. */
  personId?: string;
  /** Whether the account ever made such a request. */
  wasMade(): Promise<boolean>;
}

export async function continueStream(
  { requestId, after, param, personId, wasMade }: ContinuedStream,
  key: KeySnapshot,
  gw: Gateway,
): Promise<StreamAnswer> {
  const found = REQUEST_ID.test(requestId) ? await findReplay(requestId, key, personId, gw) : undefined;
  if (found === 'dropped') throw streamGone(gatewayReasons.madeRoom);
  if (!found) throw (await wasMade()) ? streamGone(gatewayReasons.notKeptAnyMore) : new GatewayError('not_found');
  const { groups } = gw.catalog.current();
  const { model } = found.head;
  if (!permitsModel(key, model, model, groups)) throw modelRefusal(key, model, model, groups);
  if (after > (found.length ?? after)) throw invalidRequest(param, gatewayReasons.frameNotMade(found.length ?? 0));
  if (after < found.dropped)
    throw new GatewayError('stream_gone', {
      param,
      reason: gatewayReasons.framesDropped(found.dropped),
      detail: { first_event_id: found.dropped + 1 },
    });
  return streamOf(found, after, gw);
}

/** Stops an answer that runs without a connection; returns false where there is none. */
export async function cancelStream(
  requestId: string,
  accountId: string,
  { replays }: Pick<Gateway, 'replays'>,
  personId?: string,
): Promise<boolean> {
  return REQUEST_ID.test(requestId) && (await replays.cancel(requestId, accountId, personId));
}

/** For another request under the same Idempotency-Key; undefined where it must wait for the whole answer. */
export async function joinElsewhere(
  requestId: string,
  after: number,
  key: KeySnapshot,
  gw: Gateway,
): Promise<StreamAnswer | undefined> {
  const found = await gw.replays.find(requestId, key.account.id).catch(() => undefined);
  if (found === undefined || found === 'dropped' || after < found.dropped) return undefined;
  return streamOf(found, after, gw);
}

async function findReplay(
  requestId: string,
  key: KeySnapshot,
  personId: string | undefined,
  gw: Gateway,
): Promise<FoundReplay> {
  try {
    return await gw.replays.find(requestId, key.account.id, personId);
  } catch (cause) {
    throw new GatewayError('overloaded', { retryAfterMs: 1_000, cause });
  }
}

function streamOf({ head, play }: KeptReplay, from: number, { settings }: Gateway): StreamAnswer {
  const { keepAliveFrame, contentType, requestId, keepMs } = head;
  const reading = { keepAliveFrame, keepaliveMs: settings.keepaliveMs };
  const played: NonNullable<StreamAnswer['replay']>['play'] = (sink, after) =>
    playAlive((to) => play(to, after), sink, reading);
  return {
    kind: 'stream',
    contentType,
    headers: {
      ...head.headers,
      'x-svc-original-request-id': requestId,
      [RESUME_SECONDS]: String(Math.floor(keepMs / 1_000)),
    },
    run: (sink) => played(sink, from),
    replay: { play: played, onEnd: () => undefined },
  };
}

function streamGone(reason: (typeof gatewayReasons)['madeRoom' | 'notKeptAnyMore']): GatewayError {
  return new GatewayError('stream_gone', { reason });
}
