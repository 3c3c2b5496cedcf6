/** The fields of events and of whole messages that the decoder reads, or that contain no text of the model. */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { type KnownFields, knownFields, UnreadText } from '../../unread-text.ts';

const BLOCKS = new Map<Json | undefined, KnownFields>(
  Object.entries({
    text: knownFields({ known: 'type citations', text: 'text' }),
    thinking: knownFields({ known: 'type signature', text: 'thinking' }),
    redacted_thinking: knownFields({ known: 'type data' }),
    tool_use: knownFields({ known: 'type id name input caller' }),
  }),
);
const DELTA: KnownFields = knownFields({
  known: 'type signature citation stop_reason stop_sequence container',
  text: 'text thinking partial_json',
});
const MESSAGE: KnownFields = knownFields({ known: 'id type role model stop_reason stop_sequence usage container' });
const NOTHING_KNOWN: KnownFields = knownFields({ known: 'type index' });
const EVENTS = new Map<Json | undefined, KnownFields>(
  Object.entries({
    message_start: knownFields({ known: 'type', inside: { message: MESSAGE } }),
    content_block_delta: knownFields({ known: 'type index', inside: { delta: DELTA } }),
    content_block_stop: NOTHING_KNOWN,
    message_delta: knownFields({ known: 'type usage context_management', inside: { delta: DELTA } }),
    message_stop: NOTHING_KNOWN,
  }),
);
const STARTS = new Map<Json | undefined, KnownFields>();
for (const [type, fields] of BLOCKS)
  STARTS.set(type, knownFields({ known: 'type index', inside: { content_block: fields } }));

export function openUnread(): UnreadText {
  return new UnreadText(fieldsOf);
}

function fieldsOf(json: JsonObject): KnownFields {
  const { type, content_block: block } = json;
  if (type === 'content_block_start')
    return STARTS.get(isJsonObject(block) ? block['type'] : undefined) ?? NOTHING_KNOWN;
  return EVENTS.get(type) ?? NOTHING_KNOWN;
}

/** Returns the text of a whole message that no decoder reads. */
export function unreadInWhole(body: JsonObject): string {
  const { content, ...rest } = body;
  const blocks = new UnreadText((block) => BLOCKS.get(block['type']) ?? NOTHING_KNOWN);
  let found = new UnreadText(() => MESSAGE).inObject(rest, true);
  for (const block of Array.isArray(content) ? content : [])
    if (isJsonObject(block)) found += blocks.inObject(block, true);
  return found;
}
