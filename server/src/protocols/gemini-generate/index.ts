/** Google's `generateContent`, spoken to clients and to providers. */
import type { ClientCodec, UpstreamCodec } from '../protocol.ts';
import { type AskedByAddress, decodeRequest } from './client/decode-request.ts';
import { encodeResponse } from './client/encode-response.ts';
import { openEncoder, SILENT_FRAME } from './client/encode-stream.ts';
import { encodeError } from './client/errors.ts';
import { PROTOCOL } from './own-fields.ts';
import { decodeFailure } from './upstream/decode-failure.ts';
import { decodeResponse } from './upstream/decode-response.ts';
import { AnswerDecoder } from './upstream/decode-stream.ts';
import { isHostedByGoogle } from './upstream/encode-media.ts';
import { encodeRequest } from './upstream/encode-request.ts';
import { familyOf } from './upstream/model-family.ts';

export { ArrayFrames } from './client/array-frames.ts';
export { decodeCount, encodeCount } from './client/count-tokens.ts';
export { geminiGenerateRelay } from './relay/relay.ts';

/** The codec of one request: its address says which model is asked, and how. */
export function geminiClient(asked: AskedByAddress): ClientCodec {
  return { ...geminiGenerateClient, decodeRequest: (body) => decodeRequest(body, asked) };
}

/** This codec is for an address that is not parsed yet, or names no model. */
export const geminiGenerateClient: ClientCodec = {
  protocol: PROTOCOL,
  decodeRequest: (body) => decodeRequest(body, { model: undefined, stream: false }),
  encodeResponse,
  openEncoder,
  encodeError,
  keepAliveFrame: SILENT_FRAME,
};

/** Its base address ends in its version (`…/v1beta`). */
export const geminiUpstream: UpstreamCodec = {
  protocol: PROTOCOL,
  encodeRequest,
  decodeResponse,
  decodeFailure,
  openDecoder: () => new AnswerDecoder(),
  readsUrl: isHostedByGoogle,
  // The largest models can only be told to think little.
  obeysNoThinking: (_quirks, model) => familyOf(model).size !== 'pro',
};
