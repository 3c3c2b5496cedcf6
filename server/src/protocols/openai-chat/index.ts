/** OpenAI's chat completions: a protocol of clients, of providers, and of both ends at once. */
import type { ClientCodec, RelayCodec, UpstreamCodec } from '../protocol.ts';
import { decodeFailure } from '../provider-error.ts';
import { decodeRequest } from './client/decode-request.ts';
import { encodeResponse } from './client/encode-response.ts';
import { ChatStreamEncoder } from './client/encode-stream.ts';
import { encodeError } from './client/errors.ts';
import { ChatStreamRelay, patchResponse } from './relay/relay.ts';
import { patchRequest } from './relay/relay-request.ts';
import { openUnread } from './relay/unread-fields.ts';
import { decodeResponse } from './upstream/decode-response.ts';
import { ChatStreamDecoder } from './upstream/decode-stream.ts';
import { encodeRequest } from './upstream/encode-request.ts';

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
  showsThinking: (_request, { replayReasoningAs }) =>
    replayReasoningAs === 'reasoning_content' || replayReasoningAs === 'reasoning',
  obeysNoThinking: ({ reasoningStyle }) => reasoningStyle !== 'none',
};

export const openaiChatRelay: RelayCodec = {
  protocol: 'openai-chat',
  patchRequest,
  patchResponse,
  openRelay: (view) => new ChatStreamRelay(view),
  openUnread,
  unreadInWhole: (body) => openUnread().inObject(body, true),
};
