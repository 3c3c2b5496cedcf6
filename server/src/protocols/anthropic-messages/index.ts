/** The Anthropic Messages API, spoken to clients and to providers. */
import type { ClientCodec, UpstreamCodec } from '../protocol.ts';
import { decodeFailure } from './decode-failure.ts';
import { decodeRequest } from './decode-request.ts';
import { decodeResponse } from './decode-response.ts';
import { openDecoder } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';
import { encodeResponse } from './encode-response.ts';
import { openEncoder, PING_FRAME } from './encode-stream.ts';
import { encodeError } from './errors.ts';
import { PROTOCOL } from './own-fields.ts';

export { decodeCountTokensRequest, encodeTokenCount } from './count-tokens.ts';
export { anthropicMessagesRelay } from './relay.ts';

export const anthropicMessagesClient: ClientCodec = {
  protocol: PROTOCOL,
  decodeRequest,
  encodeResponse,
  openEncoder,
  encodeError,
  keepAliveFrame: PING_FRAME,
};

export const anthropicMessagesUpstream: UpstreamCodec = {
  protocol: PROTOCOL,
  encodeRequest,
  decodeResponse,
  decodeFailure,
  openDecoder,
};
