/** Steps 10 and 11 of speech as plain bytes. They cannot carry an error: an answer that breaks is cut, not ended. */

import type { Sink, StreamAnswer } from '../../core/answer.ts';
import type { GatewayError } from '../../core/errors.ts';
import type { UpstreamFailure } from '../../core/failure.ts';
import type { Usage } from '../../core/usage.ts';
import type { Ending } from '../../ledger/index.ts';
import { TransportError } from '../../platform/upstream/index.ts';
import type { WinningAttempt } from '../attempt/attempt-tracker.ts';
import { errorInStream } from '../attempt/failures.ts';
import type { Gateway } from '../gateway.ts';
import type { Run } from '../settle/run.ts';
import { endedByBlock } from '../settle/running.ts';
import type { BegunSpeech } from './ask-speech.ts';
import { audioOutputOf } from './audio-output.ts';

export interface AudioBytesDelivery {
  run: Run;
  winner: WinningAttempt<unknown>;
  begun: Extract<BegunSpeech, { kind: 'bytes' }>;
  usage: Usage;
}

export function deliverAudioBytes(delivery: AudioBytesDelivery, gw: Gateway): StreamAnswer {
  return {
    kind: 'stream',
    contentType: delivery.begun.contentType,
    run: (sink) => run(delivery, sink, gw),
  };
}

async function run({ run, winner, begun, usage }: AudioBytesDelivery, sink: Sink, gw: Gateway): Promise<void> {
  let ended: Ending;
  let failure: UpstreamFailure | undefined;
  try {
    ended = await pump(begun, sink);
  } catch (error) {
    begun.reply.abort('delivery failed');
    if (error instanceof TransportError) failure = error.failure;
    else gw.log.error({ requestId: run.call.id, err: error }, 'audio delivery failed');
    // A client that leaves cancels the upstream call; what then breaks is no fault of the provider.
    if (run.call.client.gone) ended = { by: 'client' };
    else if (endedByBlock(run)) ended = { by: 'block' };
    else ended = failure ? { by: 'upstream' } : { by: 'us' };
  }
  const finished = ended.by === 'finish';
  winner.done(finished ? 'ok' : ended.by === 'upstream' ? (failure ?? 'aborted') : 'aborted');
  let error: GatewayError | undefined;
  if (ended.by !== 'finish' && ended.by !== 'client') error = endedByBlock(run) ?? errorInStream(failure);
  await run.settle(ended, audioOutputOf({ finished, delivered: true, usage }), error);
  if (finished) sink.end();
  else sink.cut();
}

/** There is no buffer: nothing is read from the provider before the client took the last chunk. */
async function pump({ reply, first }: AudioBytesDelivery['begun'], sink: Sink): Promise<Ending> {
  for (let chunk: Uint8Array | null = first; chunk; chunk = await reply.read()) {
    const drained = sink.write(chunk);
    if (drained) await drained;
    if (sink.gone) {
      reply.abort('client gone');
      return { by: 'client' };
    }
  }
  return { by: 'finish' };
}
