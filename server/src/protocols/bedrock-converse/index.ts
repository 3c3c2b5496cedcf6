/** Amazon's Converse, spoken to providers: one form of chat over all models of Bedrock. */
import { awsFailure } from '../aws-failure.ts';
import type { UpstreamCodec } from '../protocol.ts';
import { PROTOCOL } from './own-fields.ts';
import { decodeResponse } from './upstream/decode-response.ts';
import { ConverseDecoder } from './upstream/decode-stream.ts';
import { encodeRequest } from './upstream/encode-request.ts';

export const bedrockConverseUpstream: UpstreamCodec = {
  protocol: PROTOCOL,
  encodeRequest,
  decodeResponse,
  decodeFailure: awsFailure,
  openDecoder: () => new ConverseDecoder(),
  // It fetches no addresses.
  readsUrl: () => false,
  showsThinking: ({ reasoning }) => reasoning === undefined,
};
