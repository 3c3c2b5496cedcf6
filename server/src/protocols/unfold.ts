/** Turns a whole answer into the events of a stream: the reverse of fold.ts. */
import type { ChatResponse, Choice, Part, ReasoningPart } from '../core/chat.ts';
import type { ChatEvent, PartDelta, PartEnd, PartStart } from '../core/events.ts';
import type { JsonObject } from '../core/json.ts';

type Piece = Omit<PartDelta, 'type' | 'part'>;

/** One part split into its start, its content and its end. */
interface StreamedPart {
  start: Omit<PartStart, 'type' | 'part' | 'choice'>;
  pieces: Piece[];
  end?: Omit<PartEnd, 'type' | 'part'>;
}

export function unfoldResponse(response: ChatResponse): ChatEvent[] {
  const { id, model, created, extras, usage, serviceTier } = response;
  const events: ChatEvent[] = [
    {
      type: 'response-start',
      ...(id !== undefined && { id }),
      ...(model !== undefined && { model }),
      ...(created !== undefined && { created }),
      ...(extras && { extras }),
    },
  ];
  let number = 0;
  const finishes: Choice['finish'][] = [];
  for (const choice of response.choices) {
    finishes[choice.index] = choice.finish;
    for (const { start, pieces, end } of streamedParts(choice)) {
      const part = number++;
      events.push({ type: 'part-start', part, choice: choice.index, ...start });
      for (const piece of pieces) events.push({ type: 'part-delta', part, ...piece });
      events.push({ type: 'part-end', part, ...end });
    }
  }
  if (usage) events.push({ type: 'usage-update', usage });
  events.push({ type: 'response-end', finishes, ...(serviceTier !== undefined && { serviceTier }) });
  return events;
}

function streamedParts({ parts, logprobs }: Choice): StreamedPart[] {
  const streamed: StreamedPart[] = [];
  for (const part of parts) {
    const taken = takeApart(part);
    if (!taken) continue;
    if (part.extras) taken.start.extras = part.extras;
    streamed.push(taken);
  }
  if (logprobs) carryLogprobs(streamed, logprobs);
  return streamed;
}

/** Logprobs belong to the text; the first piece of it carries them all. */
function carryLogprobs(parts: StreamedPart[], logprobs: JsonObject): void {
  const carrier = parts.find(({ start }) => start.kind === 'text' || start.kind === 'refusal');
  if (!carrier) return;
  const [first, ...rest] = carrier.pieces;
  carrier.pieces = [{ ...(first ?? { text: '' }), logprobs }, ...rest];
}

function takeApart(part: Part): StreamedPart | undefined {
  switch (part.kind) {
    case 'text': {
      const citations = (part.citations ?? []).map((citation) => ({ text: '', citation }));
      return { start: { kind: 'text' }, pieces: [...spoken(part.text), ...citations] };
    }
    case 'refusal':
      return { start: { kind: 'refusal' }, pieces: spoken(part.text) };
    case 'reasoning':
      return takeReasoningApart(part);
    case 'tool-call': {
      const { kind: _kind, extras: _extras, cacheControl: _cacheControl, arguments: text, ...toolCall } = part;
      return { start: { kind: 'tool-call', toolCall }, pieces: spoken(text) };
    }
    case 'audio': {
      const audio = { format: part.format, ...(part.id !== undefined && { id: part.id }) };
      const { data, transcript } = part;
      const pieces = transcript === undefined ? spoken(data) : [{ text: data, transcript }];
      return { start: { kind: 'audio', audio }, pieces };
    }
    case 'image': {
      const { source } = part;
      if (source.kind === 'data') {
        return { start: { kind: 'image', image: { mediaType: source.mediaType, data: source.data } }, pieces: [] };
      }
      // Events carry image bytes only. An address is given as text rather than lost.
      return { start: { kind: 'text' }, pieces: spoken(source.kind === 'url' ? source.url : source.id) };
    }
    case 'file':
    case 'tool-result':
      // No provider answers with these; a stream has no form for them.
      return undefined;
  }
}

function takeReasoningApart({ text, id, summary, encrypted, origin, signature }: ReasoningPart): StreamedPart {
  const reasoning = {
    ...(id !== undefined && { id }),
    ...(summary !== undefined && { summary }),
    ...(encrypted !== undefined && { encrypted }),
    ...(origin !== undefined && { origin }),
  };
  return {
    start: { kind: 'reasoning', ...(Object.keys(reasoning).length > 0 && { reasoning }) },
    pieces: spoken(text),
    ...(signature !== undefined && { end: { signature } }),
  };
}

function spoken(text: string): Piece[] {
  return text === '' ? [] : [{ text }];
}
