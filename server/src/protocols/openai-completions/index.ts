/**
 * OpenAI's first protocol: a prompt in, text out. Only clients speak it here. It is answered as a chat of one message, so
 * providers are asked in their own protocol and nothing is relayed.
 */
import { openaiChatClient } from '../openai-chat/index.ts';
import type { ClientCodec } from '../protocol.ts';
import { CompletionFrames, completionOf } from './client/completion.ts';
import { decodeRequest } from './client/decode-request.ts';

export const openaiCompletionsClient: ClientCodec = {
  protocol: openaiChatClient.protocol,
  decodeRequest,
  encodeResponse: (response, view, closing) => completionOf(openaiChatClient.encodeResponse(response, view, closing)),
  openEncoder(view) {
    const chat = openaiChatClient.openEncoder(view);
    const frames = new CompletionFrames();
    return {
      encode: (event) => frames.convert(chat.encode(event)),
      finish: (closing) => frames.convert(chat.finish(closing)),
      fail: (error) => chat.fail(error),
    };
  },
  encodeError: openaiChatClient.encodeError,
  keepAliveFrame: openaiChatClient.keepAliveFrame,
};
