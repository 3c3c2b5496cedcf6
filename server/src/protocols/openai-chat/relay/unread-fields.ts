/** The fields of chunks and of whole answers that the chat decoder reads, or that contain no text of the model. */
import { type KnownFields, knownFields, UnreadText } from '../../unread-text.ts';

const CALL: KnownFields = knownFields({ text: 'name arguments input' });
const MESSAGE: KnownFields = knownFields({
  known: 'role annotations images',
  text: 'content refusal reasoning reasoning_content',
  inside: {
    function_call: CALL,
    tool_calls: knownFields({
      known: 'index id type extra_content',
      inside: { function: CALL, custom: CALL },
    }),
    reasoning_details: knownFields({ known: 'type id format index data signature', text: 'text summary' }),
    audio: knownFields({ known: 'id expires_at', text: 'data transcript' }),
  },
});
const CHOICE: KnownFields = knownFields({
  known: `index finish_reason native_finish_reason logprobs usage content_filter_results content_filter_result stop_reason
    matched_stop token_ids`,
  inside: { delta: MESSAGE, message: MESSAGE },
});
/** Fields beside those that we write: reports of providers about their search, filters and speed. */
const CHUNK: KnownFields = knownFields({
  known: `id object created model usage error system_fingerprint service_tier provider x_groq timings citations search_results
    prompt_filter_results obfuscation`,
  inside: { choices: CHOICE },
});

export function openUnread(): UnreadText {
  return new UnreadText(() => CHUNK);
}
