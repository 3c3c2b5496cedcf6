/** OpenAI's chat completions: a protocol of clients, of providers, and of both ends at once. */
import type { ClientCodec, RelayCodec, UpstreamCodec } from '../protocol.ts';
import { decodeFailure } from './decode-failure.ts';
import { decodeRequest } from './decode-request.ts';
import { decodeResponse } from './decode-response.ts';
import { ChatStreamDecoder } from './decode-stream.ts';
import { encodeRequest } from './encode-request.ts';
import { encodeResponse } from './encode-response.ts';
import { ChatStreamEncoder } from './encode-stream.ts';
import { encodeError } from './errors.ts';
import { ChatStreamRelay, patchRequest, patchResponse } from './relay.ts';

export const openaiChatClient: ClientCodec = {
  protocol: 'openai-chat',
  decodeRequest,
  encodeResponse,
  openEncoder: (view) => new ChatStreamEncoder(view),
  encodeError,
  keepAliveFrame: ': keep-alive\n\n',
};

export const openaiChatUpstream: UpstreamCodec = {
  protocol: 'openai-chat',
  encodeRequest,
  decodeResponse,
  decodeFailure,
  openDecoder: () => new ChatStreamDecoder(),
};

export const openaiChatRelay: RelayCodec = {
  protocol: 'openai-chat',
  patchRequest,
  patchResponse,
  openRelay: (view) => new ChatStreamRelay(view),
};
