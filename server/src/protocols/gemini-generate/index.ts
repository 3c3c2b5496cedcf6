import type { UpstreamCodec } from '../protocol.ts';
import { decodeFailure } from './decode-failure.ts';
import { decodeResponse } from './decode-response.ts';
import { AnswerDecoder } from './decode-stream.ts';
import { isHostedByGoogle } from './encode-media.ts';
import { encodeRequest } from './encode-request.ts';

/** Google's `generateContent`, at a base address that ends in its version (`…/v1beta`). */
export const geminiUpstream: UpstreamCodec = {
  protocol: 'gemini-generate',
  encodeRequest,
  decodeResponse,
  decodeFailure,
  openDecoder: () => new AnswerDecoder(),
  readsUrl: isHostedByGoogle,
};
