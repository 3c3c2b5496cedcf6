/** OpenAI's Responses: a protocol of clients, of providers, and of both ends at once. */

import type { ClientCodec, RelayCodec, UpstreamCodec } from '../protocol.ts';
import { decodeFailure } from '../provider-error.ts';
import { decodeRequest } from './client/decode-request.ts';
import { encodeResponse } from './client/encode-response.ts';
import { ResponsesStreamEncoder } from './client/encode-stream.ts';
import { encodeError } from './client/errors.ts';
import { PROTOCOL } from './own-fields.ts';
import { patchResponse, ResponsesStreamRelay } from './relay/relay.ts';
import { patchRequest } from './relay/relay-request.ts';
import { openUnread, unreadInWhole } from './relay/unread-fields.ts';
import { decodeResponse } from './upstream/decode-response.ts';
import { ResponsesStreamDecoder } from './upstream/decode-stream.ts';
import { encodeRequest, MIN_OUTPUT_TOKENS } from './upstream/encode-request.ts';

export { openCompaction } from './client/compaction-client.ts';
export { endedResponse } from './client/ended-response.ts';
export { failedResponse, refusedOnSocket } from './client/errors.ts';
export { responseObject } from './client/response-object.ts';

export const openaiResponsesClient: ClientCodec = {
  protocol: PROTOCOL,
  decodeRequest,
  encodeResponse,
  openEncoder: (view) => new ResponsesStreamEncoder(view),
  encodeError,
  keepAliveFrame: ': keep-alive\n\n',
};

export const openaiResponsesUpstream: UpstreamCodec = {
  protocol: PROTOCOL,
  encodeRequest,
  decodeResponse,
  decodeFailure,
  openDecoder: () => new ResponsesStreamDecoder(),
  leastOutputLimit: MIN_OUTPUT_TOKENS,
};

export const openaiResponsesRelay: RelayCodec = {
  protocol: PROTOCOL,
  patchRequest,
  patchResponse,
  openRelay: (view) => new ResponsesStreamRelay(view),
  openUnread,
  unreadInWhole,
};
