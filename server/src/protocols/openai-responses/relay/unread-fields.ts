/**
 * The fields of events and of whole responses that the decoder reads, or that contain no text of the model. Items that
 * are not modelled come piece by piece, then whole, then once more in the last event: what was counted before is not
 * counted again.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { SseFrame } from '../../protocol.ts';
import { type KnownFields, knownFields, UnreadText } from '../../unread-text.ts';

const PLACE = 'type sequence_number output_index content_index summary_index item_id logprobs obfuscation';
/** Events whose text the decoder reads, or that repeat what it has read. */
const READ_EVENTS: KnownFields = knownFields({
  known: `${PLACE} annotation annotation_index text refusal arguments input part`,
  text: 'delta',
});
const IS_READ =
  /^response\.(?:output_text|refusal|function_call_arguments|custom_tool_call_input|reasoning_summary_text|reasoning_text|content_part|reasoning_summary_part)\./;
const OTHER_EVENTS: KnownFields = knownFields({ known: `${PLACE} item response` });
const PARTS: KnownFields = knownFields({ known: 'type text refusal annotations logprobs' });
const CALL: KnownFields = knownFields({ known: 'type id status call_id name namespace arguments input' });
const MESSAGE: KnownFields = knownFields({ known: 'type id status role phase' });
const ITEMS = new Map<Json | undefined, KnownFields>(
  Object.entries({
    reasoning: knownFields({ known: 'type id status summary content encrypted_content' }),
    function_call: CALL,
    custom_tool_call: CALL,
    image_generation_call: knownFields({ known: 'type id status result' }),
  }),
);
const OTHER_ITEM: KnownFields = knownFields({ known: 'type id status' });
/** Fields of a response beside its output. What the provider repeats of the request is written by us. */
const RESPONSE: KnownFields = knownFields({
  known: `id object created_at completed_at status error incomplete_details instructions metadata model output tools tool_choice
    text reasoning truncation user usage prompt service_tier safety_identifier prompt_cache_key prompt_cache_retention billing
    conversation previous_response_id background moderation tool_usage max_tool_calls`,
});

export function openUnread(): ResponsesUnread {
  return new ResponsesUnread();
}

class ResponsesUnread {
  readonly #events = new UnreadText(({ type }) =>
    typeof type === 'string' && IS_READ.test(type) ? READ_EVENTS : OTHER_EVENTS,
  );
  readonly #responses = new UnreadText(() => RESPONSE);
  /** Characters found so far in the item at each place. */
  readonly #counted = new Map<Json, number>();

  inFrame(frame: SseFrame, read: number): string {
    const { json } = frame;
    if (!isJsonObject(json)) return '';
    const { type, item, response, output_index: place } = json;
    const pieces = this.#events.inFrame(frame, read);
    const isEnd = typeof type === 'string' && type.endsWith('.done');
    let found = isEnd ? this.#beyond(place, pieces) : this.#added(place, pieces);
    // An item comes whole when it ends, so nothing is lost by ignoring its beginning.
    if (isEnd && isJsonObject(item)) found += this.#beyond(place, unreadInItem(item));
    if (isJsonObject(response)) found += this.#inResponse(response);
    return found;
  }

  #inResponse(response: JsonObject): string {
    let found = this.#responses.inObject(response, true);
    const { output } = response;
    for (const [place, item] of Array.isArray(output) ? output.entries() : []) {
      if (isJsonObject(item)) found += this.#beyond(place, unreadInItem(item));
    }
    return found;
  }

  #added(place: Json | undefined, text: string): string {
    if (text !== '' && place !== undefined) this.#counted.set(place, (this.#counted.get(place) ?? 0) + text.length);
    return text;
  }

  /** The part of a whole text that its pieces have not contained. */
  #beyond(place: Json | undefined, whole: string): string {
    const counted = this.#counted.get(place ?? null) ?? 0;
    if (whole.length <= counted) return '';
    this.#counted.set(place ?? null, whole.length);
    return whole.slice(counted);
  }
}

function unreadInItem(item: JsonObject): string {
  if (item['type'] !== 'message')
    return new UnreadText(({ type }) => ITEMS.get(type) ?? OTHER_ITEM).inObject(item, true);
  const { content, ...rest } = item;
  const message = new UnreadText(() => MESSAGE);
  const parts = new UnreadText(({ type }) => (type === 'output_text' || type === 'refusal' ? PARTS : OTHER_ITEM));
  let found = message.inObject(rest, true);
  for (const part of Array.isArray(content) ? content : []) if (isJsonObject(part)) found += parts.inObject(part, true);
  return found;
}

/** Returns the text of a whole response that no decoder reads. */
export function unreadInWhole(body: JsonObject): string {
  return new ResponsesUnread().inFrame({ event: undefined, data: '', json: { response: body } }, 0);
}
