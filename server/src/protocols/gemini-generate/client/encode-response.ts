/** A whole answer in this protocol. */
import type { ChatResponse, Choice } from '../../../core/chat.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { AnswerClosing, ClientView } from '../../protocol.ts';
import { encodeServiceExtension } from '../../service-extension.ts';
import { blockReasonOf, encodeFinish } from '../finish.ts';
import { encodeUsage } from '../usage.ts';
import { citationMetadata, encodeParts, logprobsResult, showsThoughts } from './encode-parts.ts';

const NO_CHOICE: Choice = { index: 0, parts: [], finish: { kind: 'stop' } };

export function encodeResponse(response: ChatResponse, view: ClientView, closing: AnswerClosing): JsonObject {
  const { choices } = response;
  const svc = encodeServiceExtension(closing);
  return {
    ...answered(choices.length > 0 ? choices : [NO_CHOICE], view),
    usageMetadata: encodeUsage(closing),
    modelVersion: view.model,
    responseId: view.responseId,
    ...(svc && { svc }),
  };
}

/** An answer that was refused before its first token is reported as a blocked prompt. */
function answered(choices: readonly Choice[], view: ClientView): JsonObject {
  const [first] = choices;
  if (choices.length === 1 && first?.parts.length === 0 && first.finish.kind === 'content-filter')
    return { promptFeedback: { blockReason: blockReasonOf(first.finish) } };
  const shows = showsThoughts(view.request);
  return { candidates: choices.map((choice) => candidateOf(choice, shows)) };
}

function candidateOf({ index, parts, finish, logprobs }: Choice, shows: boolean): JsonObject {
  const citations = citationMetadata(parts.flatMap((part) => (part.kind === 'text' ? (part.citations ?? []) : [])));
  const probabilities = logprobsResult(logprobs);
  return {
    content: { role: 'model', parts: encodeParts(parts, shows) },
    finishReason: encodeFinish(
      finish,
      parts.some(({ kind }) => kind === 'refusal'),
    ),
    index,
    ...(citations && { citationMetadata: citations }),
    ...(probabilities && { logprobsResult: probabilities }),
  };
}
