/**
 * Streams that outlive their connection (`svc.resume_seconds`). The answer is written into a replay buffer, each frame
 * under its number, and the client's own connection is one reader of it: when it breaks, provider and charge go on as
 * for a live stream.
 */
import type { Sink, StreamAnswer, StreamReplay } from '../../core/answer.ts';
import { GatewayError } from '../../core/errors.ts';
import { RESUME_SECONDS } from '../../idempotency/index.ts';
import type { ClientView } from '../../protocols/index.ts';
import { FrameNumbers, framesOf, type ReplayHead, type ReplayWriter } from '../../replay/index.ts';
import type { ClientConnection } from '../call.ts';
import type { ClientProtocol, Gateway } from '../gateway.ts';
import { playAlive } from '../settle/play-alive.ts';
import type { Run } from '../settle/run.ts';

export interface Resume {
  /** How long the frames are kept once the answer has ended. */
  keepMs: number;
  /** It is stored elsewhere too, and cancelled by its own id. */
  inBackground: boolean;
}

export function resumable(
  answer: StreamAnswer,
  { keepMs, inBackground }: Resume,
  { run, protocol, view }: { run: Run; protocol: ClientProtocol; view: ClientView },
  { replays, settings }: Gateway,
): StreamAnswer {
  const { keepAliveFrame } = protocol.client;
  const headers = { ...answer.headers, [RESUME_SECONDS]: String(Math.floor(keepMs / 1_000)) };
  const failure = (code: 'stream_interrupted' | 'stream_cancelled'): string =>
    framesOf(protocol.client.openEncoder(view).fail(new GatewayError(code))).at(-1) ?? '';
  const head: ReplayHead = {
    requestId: run.call.id,
    accountId: run.key.account.id,
    ...(run.call.personId !== undefined && { personId: run.call.personId }),
    model: run.model.id,
    contentType: answer.contentType,
    headers,
    keepMs,
    keepAliveFrame,
    lost: failure('stream_interrupted'),
  };
  const client = inBackground ? run.call.client : detach(run);
  const writer = replays.open(head, client instanceof DetachedClient ? () => client.leave() : undefined);
  const numbered = new NumberedSink(writer, {
    keepAliveFrame,
    client,
    endsUnread: !inBackground,
    cancelled: () => failure('stream_cancelled'),
  });
  const reading = { keepAliveFrame, keepaliveMs: settings.keepaliveMs };
  const replay: StreamReplay = {
    play: (sink, after) => playAlive((to) => writer.play(to, after), sink, reading),
    onEnd: (listener) => numbered.ended.push(listener),
  };
  const make: StreamAnswer['run'] = async (sink) => {
    await Promise.all([replay.play(sink, 0), answer.run(numbered)]);
  };
  return { ...answer, headers, run: make, replay };
}

/** From here on the request does not depend on this connection: it ends early only when it is cancelled. */
function detach(run: Run): DetachedClient {
  const client = new DetachedClient(() => {
    run.left();
    run.cancellation.cancel('client gone');
  });
  run.call.client = client;
  return client;
}

class DetachedClient implements ClientConnection {
  gone = false;
  readonly #listeners: (() => void)[];

  constructor(onGone: () => void) {
    this.#listeners = [onGone];
  }

  onGone(listener: () => void): void {
    if (this.gone) listener();
    else this.#listeners.push(listener);
  }

  leave(): void {
    if (this.gone) return;
    this.gone = true;
    for (const listener of this.#listeners) listener();
  }
}

interface NumberedTerms {
  /** Each reader has its own keep-alive. */
  keepAliveFrame: string;
  client: ClientConnection;
  /** The answer ends when no reader could get all of it any more. */
  endsUnread: boolean;
  /** The last frame of a cancelled answer. */
  cancelled(): string;
}

class NumberedSink implements Sink {
  readonly ended: ((whole: Uint8Array | undefined) => void)[] = [];
  readonly #writer: ReplayWriter;
  readonly #terms: NumberedTerms;
  readonly #numbers = new FrameNumbers();

  constructor(writer: ReplayWriter, terms: NumberedTerms) {
    this.#writer = writer;
    this.#terms = terms;
  }

  get gone(): boolean {
    const { client, endsUnread } = this.#terms;
    return client.gone || (endsUnread && this.#writer.isLost);
  }

  write(data: string | Uint8Array): Promise<void> | undefined {
    if (data === this.#terms.keepAliveFrame) return undefined;
    const frames = this.#numbers.number(typeof data === 'string' ? data : Buffer.from(data).toString('utf8'));
    return frames.length === 0 ? undefined : this.#writer.append(frames);
  }

  end(): void {
    if (this.#terms.client.gone) void this.write(this.#terms.cancelled());
    this.#finish('complete');
  }

  cut(): void {
    this.#finish('cut');
  }

  #finish(end: 'complete' | 'cut'): void {
    this.#writer.finish(end);
    const whole = end === 'complete' ? this.#writer.whole() : undefined;
    for (const listener of this.ended) listener(whole);
  }
}
