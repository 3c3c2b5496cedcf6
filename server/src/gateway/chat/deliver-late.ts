/**
 * Step 10 for a stream whose first content is late. The client's 200 and headers have gone out with a keep-alive, so
 * that no proxy in between closes the connection; behind it routes are still tried until one has content. When all have
 * failed, an error event ends the stream.
 */
import type { Sink, StreamAnswer } from '../../core/answer.ts';
import type { ClientView } from '../../protocols/index.ts';
import type { ClientProtocol, Gateway } from '../gateway.ts';
import { KeepAlive } from '../settle/keep-alive.ts';
import type { Run } from '../settle/run.ts';
import { type Delivery, EVENT_STREAM, writeStream } from './deliver-chat.ts';

export interface LateDelivery {
  run: Run;
  protocol: ClientProtocol;
  /** For an error that ends the stream before any route has answered. */
  view: () => ClientView;
  /** Rejects with the request's error when no route answers. */
  delivery: Promise<Delivery>;
}

export function deliverLate(late: LateDelivery, gw: Gateway): StreamAnswer {
  // It may reject before anybody awaits it.
  late.delivery.catch(() => undefined);
  return { kind: 'stream', contentType: EVENT_STREAM, run: (sink) => waitAndWrite(late, sink, gw) };
}

async function waitAndWrite(late: LateDelivery, sink: Sink, gw: Gateway): Promise<void> {
  const { keepAliveFrame } = late.protocol.client;
  const keepAlive = new KeepAlive(sink, keepAliveFrame, gw.settings.keepaliveMs);
  keepAlive.wrote(sink.write(keepAliveFrame));
  let delivery: Delivery;
  try {
    delivery = await late.delivery;
  } catch (error) {
    keepAlive.stop();
    await endWithError(late, error, sink, gw);
    return;
  }
  await writeStream(delivery, sink, keepAlive, gw);
}

async function endWithError({ run, protocol, view }: LateDelivery, error: unknown, sink: Sink, gw: Gateway) {
  const shown = await run.fail(error);
  const context = { requestId: run.call.id, code: shown.code, err: shown.cause ?? shown };
  if (shown.code === 'internal_error') gw.log.error(context, 'request failed');
  else gw.log.info(context, 'no route answered a stream that had begun to wait');
  if (!sink.gone) void sink.write(protocol.client.openEncoder(view()).fail(shown));
  sink.end();
}
