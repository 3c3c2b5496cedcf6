/** A reply in Amazon's framing, read as if it were server-sent events. */
import type { UpstreamFailure } from '../../core/failure.ts';
import { TransportError } from '../../platform/upstream/index.ts';
import { amazonFrame, EventStreamBroken, EventStreamParser } from '../../protocols/index.ts';
import type { ByteSource } from './upstream-stream.ts';

export function amazonBytes(reply: ByteSource): ByteSource {
  const parser = new EventStreamParser();
  return {
    async read() {
      for (let chunk = await reply.read(); chunk; chunk = await reply.read()) {
        const text = framesIn(parser, chunk);
        // A message may be longer than a chunk, so an empty read is not the end.
        if (text !== '') return Buffer.from(text);
      }
      if (parser.isCut) throw broken('truncated', 'the stream ended in the midst of a message');
      return null;
    },
    abort: (reason) => reply.abort(reason),
  };
}

function framesIn(parser: EventStreamParser, chunk: Uint8Array): string {
  let text = '';
  try {
    parser.push(chunk, (message) => {
      text += amazonFrame(message);
    });
  } catch (error) {
    if (error instanceof EventStreamBroken) throw broken('malformed', error.message);
    throw error;
  }
  return text;
}

function broken(kind: UpstreamFailure['kind'], message: string): TransportError {
  return new TransportError({ kind, message }, 'body');
}
