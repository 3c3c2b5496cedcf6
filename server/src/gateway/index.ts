export { authenticate, authenticateByDigest, refuseGuess } from './admit/authenticate.ts';
export { admitFree, reserveFree } from './admit/free.ts';
export { History } from './admit/history.ts';
export { keyView, walletBalance } from './admit/key-view.ts';
export { LARGE_BODY_BYTES } from './admit/large-body.ts';
export { readJsonBody } from './admit/read-body.ts';
export { RefusalCounts } from './admit/refusal-counts.ts';
export { readWindowsForHeaders, recordRefusal } from './admit/refusals.ts';
export { checkModelKind, modelNotFound } from './admit/resolve.ts';
export {
  modelsOfProvider,
  type ProviderModels,
  type ProviderTest,
  testProvider,
  trySecret,
} from './attempt/test-provider.ts';
export { answerLine, type LineEndpoint } from './batch-line.ts';
export { CALL_HEADERS, type Call, type CallHeaders, type ClientConnection, oneHeader } from './call.ts';
export { BackgroundAnswers } from './chat/background-slots.ts';
export { answerChat } from './chat/chat.ts';
export { answerCompaction } from './chat/compact.ts';
export { ConnectionTurn } from './chat/connection-turn.ts';
export { answerCountTokens } from './chat/count-tokens.ts';
export { answerInputTokens, answerResponses, type ResponsesTools } from './chat/responses.ts';
export { keepForNextMessage, readResponsesMessage } from './chat/responses-message.ts';
export { SeenPrefixes } from './chat/seen-prefixes.ts';
export { testKey } from './chat/test-key.ts';
export { cancelStream, continueStream, lastEventIdOf } from './continue-stream.ts';
export { accountItself, checkEmbeddingModel, embedTexts } from './embeddings/embed-texts.ts';
export type { ClientProtocol, Gateway, GatewaySettings } from './gateway.ts';
export { editsEndpoint, generationsEndpoint } from './images/images.ts';
export { moderationsEndpoint } from './moderations/moderations.ts';
export type { PaidEndpoint } from './paid/paid-endpoint.ts';
export { runPaidForm } from './paid/run-paid-form.ts';
export { runPaidRequest } from './paid/run-paid-request.ts';
export { type ReceivedForm, runPaidUpload } from './paid/run-paid-upload.ts';
export { askRoute } from './probe/ask-route.ts';
export type { RealtimeClient } from './realtime/realtime-client.ts';
export { RealtimeSession } from './realtime/realtime-session.ts';
export { realtimeModelOf } from './realtime/response-hold.ts';
export { memoryOf } from './request-memory.ts';
export { rankTexts } from './rerank/rank-texts.ts';
export { rerankEndpoint } from './rerank/rerank.ts';
export { AccountTags } from './settle/account-tags.ts';
export { RunningRequests } from './settle/running.ts';
