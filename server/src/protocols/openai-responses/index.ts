/** OpenAI's Responses: a protocol of clients, of providers, and of both ends at once. */
import { decodeFailure } from '../openai-chat/decode-failure.ts';
import type { ClientCodec, RelayCodec, UpstreamCodec } from '../protocol.ts';
import { decodeRequest } from './decode-request.ts';
import { decodeResponse } from './decode-response.ts';
import { ResponsesStreamDecoder } from './decode-stream.ts';
import { encodeRequest, LEAST_OUTPUT_TOKENS } from './encode-request.ts';
import { encodeResponse } from './encode-response.ts';
import { ResponsesStreamEncoder } from './encode-stream.ts';
import { encodeError } from './errors.ts';
import { patchResponse, ResponsesStreamRelay } from './relay.ts';
import { patchRequest } from './relay-request.ts';
import { PROTOCOL } from './schema.ts';

export { failedResponse } from './errors.ts';
export { responseObject } from './response-object.ts';

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
  leastOutputLimit: LEAST_OUTPUT_TOKENS,
};

export const openaiResponsesRelay: RelayCodec = {
  protocol: PROTOCOL,
  patchRequest,
  patchResponse,
  openRelay: (view) => new ResponsesStreamRelay(view),
};
