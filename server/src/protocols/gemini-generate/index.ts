import type { UpstreamCodec } from '../protocol.ts';
import { decodeFailure } from './upstream/decode-failure.ts';
import { decodeResponse } from './upstream/decode-response.ts';
import { AnswerDecoder } from './upstream/decode-stream.ts';
import { isHostedByGoogle } from './upstream/encode-media.ts';
import { encodeRequest } from './upstream/encode-request.ts';
import { familyOf } from './upstream/model-family.ts';

/** Google's `generateContent`, at a base address that ends in its version (`…/v1beta`). */
export const geminiUpstream: UpstreamCodec = {
  protocol: 'gemini-generate',
  encodeRequest,
  decodeResponse,
  decodeFailure,
  openDecoder: () => new AnswerDecoder(),
  readsUrl: isHostedByGoogle,
  // The largest models can only be told to think little.
  obeysNoThinking: (_quirks, model) => familyOf(model).size !== 'pro',
};
