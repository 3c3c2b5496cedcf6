/** The fields of answers that the decoder reads, or that contain no text of the model. */
import type { JsonObject } from '../../../core/json.ts';
import { type KnownFields, knownFields, UnreadText } from '../../unread-text.ts';

const PART: KnownFields = knownFields({
  known: 'thought thoughtSignature functionCall inlineData videoMetadata partMetadata',
  text: 'text',
});
const CANDIDATE: KnownFields = knownFields({
  known: `finishReason finishMessage index safetyRatings citationMetadata groundingMetadata groundingAttributions
    urlContextMetadata avgLogprobs logprobsResult tokenCount`,
  inside: { content: knownFields({ known: 'role', inside: { parts: PART } }) },
});
const ANSWER: KnownFields = knownFields({
  known: 'promptFeedback usageMetadata modelVersion modelStatus responseId createTime error',
  inside: { candidates: CANDIDATE },
});

export function openUnread(): UnreadText {
  return new UnreadText(() => ANSWER);
}

/** Returns the text of a whole answer that no decoder reads. */
export function unreadInWhole(body: JsonObject): string {
  return openUnread().inObject(body, true);
}
