/** A stream as the official SDK reads it: its own accumulator is the judge of our event sequence. */
import { ResponseStream } from 'openai/lib/responses/ResponseStream';
import type { Response as SdkResponse } from 'openai/resources/responses/responses';
import { parseTrustedJson } from '../../../src/core/json.ts';
import { bytesOf, framesOf } from '../streams.ts';

export async function readStream(text: string): Promise<SdkResponse> {
  const lines = framesOf([bytesOf(text)]).map(({ data }) => `${JSON.stringify(parseTrustedJson(data))}\n`);
  const readable = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const line of lines) controller.enqueue(bytesOf(line));
      controller.close();
    },
  });
  return (await ResponseStream.fromReadableStream(readable).finalResponse()) as SdkResponse;
}
