/** The Anthropic Messages API, spoken to clients and to providers. */
import type { ClientCodec, UpstreamCodec } from '../protocol.ts';
import { decodeRequest } from './client/decode-request.ts';
import { encodeResponse } from './client/encode-response.ts';
import { openEncoder, PING_FRAME } from './client/encode-stream.ts';
import { encodeError } from './client/errors.ts';
import { PROTOCOL } from './own-fields.ts';
import { decodeFailure } from './upstream/decode-failure.ts';
import { decodeResponse } from './upstream/decode-response.ts';
import { openDecoder } from './upstream/decode-stream.ts';
import { encodeRequest } from './upstream/encode-request.ts';

export { decodeCountTokensRequest, encodeTokenCount } from './client/count-tokens.ts';
export { markBody, type PromptMarks } from './mark-prompt.ts';
export { anthropicMessagesRelay } from './relay/relay.ts';
export { isMessagesCloud, throughCloud, VERTEX_COUNT_PATH, vertexCount } from './upstream/through-cloud.ts';

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
  // Clouds do not fetch addresses.
  readsUrl: (_url, { cloud }) => cloud === undefined,
  // Its models think only when asked to.
  showsThinking: ({ reasoning }) => reasoning === undefined,
};
