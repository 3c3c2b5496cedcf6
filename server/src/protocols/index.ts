export { EVENT_STREAM_TYPE, EventStreamBroken, EventStreamParser } from './amazon-event-stream.ts';
export { amazonFrame } from './amazon-frames.ts';
export {
  anthropicMessagesClient,
  anthropicMessagesRelay,
  anthropicMessagesUpstream,
  decodeCountTokensRequest,
  encodeTokenCount,
  isMessagesCloud,
  markBody,
  type PromptMarks,
  throughCloud,
  VERTEX_COUNT_PATH,
  vertexCount,
} from './anthropic-messages/index.ts';
export * from './audio/index.ts';
export { awsFailure, isAwsFailure } from './aws-failure.ts';
export { bedrockConverseUpstream } from './bedrock-converse/index.ts';
export * from './embeddings/index.ts';
export { saysNoBalance } from './failure-kind.ts';
export { EventFold } from './fold.ts';
export { HOSTED_TOOLS, OPTIONAL_TOOLS } from './foreign-fields.ts';
export { type FramePiece, FrameSchema } from './frame-shape.ts';
export {
  ArrayFrames,
  decodeCount,
  encodeCount,
  geminiClient,
  geminiGenerateClient,
  geminiGenerateRelay,
  geminiUpstream,
} from './gemini-generate/index.ts';
export { hostedCalls, isSold } from './hosted-use.ts';
export * from './images/index.ts';
export { type FetchedMedia, inlineMedia, mediaUrls } from './inline-media.ts';
export { keepsBlock } from './kept-fields.ts';
export { modelListOf, namesInModelList } from './model-list.ts';
export * from './moderations/index.ts';
export { namedAtProvider } from './named-at-provider.ts';
export { openaiChatClient, openaiChatRelay, openaiChatUpstream } from './openai-chat/index.ts';
export { openaiCompletionsClient } from './openai-completions/index.ts';
export {
  endedResponse,
  failedResponse,
  openaiResponsesClient,
  openaiResponsesRelay,
  openaiResponsesUpstream,
  openCompaction,
  refusedOnSocket,
  responseObject,
} from './openai-responses/index.ts';
export { passHeaders } from './passed-betas.ts';
export { passListed } from './passed-fields.ts';
export type * from './protocol.ts';
export { isFailure } from './protocol.ts';
export * from './realtime/index.ts';
export * from './rerank/index.ts';
export { askedTier, chargedTier } from './service-tier.ts';
export { SseFrameTooLarge, SseParser, writeFrame } from './sse.ts';
export { openGuard } from './stream-guard.ts';
export { unfoldResponse } from './unfold.ts';
export { WrittenSchema } from './written-shape.ts';
