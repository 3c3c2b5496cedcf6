/** The content blocks of one stream: maps the provider's indexes to our part numbers. */
import type { ChatEvent, PartStart } from '../../../core/events.ts';
import { isJsonObject, type Json, type JsonObject, parseTrustedJson } from '../../../core/json.ts';
import { fieldsBeside } from '../../read-fields.ts';
import { decodeCitation, decodeCitations } from '../citations.ts';
import { keep, PROTOCOL } from '../own-fields.ts';
import { TOOL_USE_FIELDS } from './decode-response.ts';

type Emit = (event: ChatEvent) => void;

interface OpenBlock {
  part: number;
  kind: 'text' | 'reasoning' | 'tool-call' | 'opaque';
  /** The block as it started; an opaque block is completed here and emitted whole when it stops. */
  block: JsonObject;
  /** JSON text of the input seen so far: whether any of it came (tool call), or all of it (opaque). */
  json: string;
  signature: string;
}

export class BlockDecoder {
  readonly #open = new Map<Json, OpenBlock>();
  #nextPart = 0;

  start(index: Json | undefined, wire: Json | undefined, emit: Emit): void {
    if (index === undefined || !isJsonObject(wire)) return;
    // A spliced stream counts from zero again, which ends the open block.
    this.stop(index, emit);
    const block: OpenBlock = { part: this.#nextPart++, kind: kindOf(wire), block: wire, json: '', signature: '' };
    this.#open.set(index, block);
    if (block.kind === 'opaque') return;
    emit({ type: 'part-start', part: block.part, choice: 0, ...startOf(wire, block.kind) });
    this.#giveInitialContent(block, emit);
  }

  delta(index: Json | undefined, delta: Json | undefined, emit: Emit): void {
    const block = index === undefined ? undefined : this.#open.get(index);
    if (!block || !isJsonObject(delta)) return;
    switch (delta['type']) {
      case 'text_delta':
        give(block, delta['text'], emit);
        break;
      case 'thinking_delta':
        give(block, delta['thinking'], emit);
        break;
      case 'input_json_delta':
        if (block.kind === 'tool-call') give(block, delta['partial_json'], emit);
        if (typeof delta['partial_json'] === 'string') block.json += delta['partial_json'];
        break;
      case 'signature_delta':
        if (typeof delta['signature'] === 'string') block.signature = delta['signature'];
        break;
      case 'citations_delta': {
        const citation = decodeCitation(delta['citation']);
        if (citation && block.kind === 'text') emit({ type: 'part-delta', part: block.part, text: '', citation });
        break;
      }
      default:
        // Deltas of blocks we do not model (compaction) carry their fields as they are.
        if (block.kind === 'opaque') block.block = { ...block.block, ...fieldsBeside(delta, TYPE_ONLY) };
    }
  }

  stop(index: Json | undefined, emit: Emit): void {
    const block = index === undefined ? undefined : this.#open.get(index);
    if (index === undefined || !block) return;
    this.#open.delete(index);
    const { part, kind, signature } = block;
    if (kind === 'opaque') {
      emit({ type: 'part-start', part, choice: 0, kind: 'text', ...keep({ block: wholeBlock(block) }) });
    } else if (kind === 'tool-call' && block.json === '') {
      // A call without arguments sends only empty text, and some providers send all arguments at the start.
      emit({ type: 'part-delta', part, text: JSON.stringify(block.block['input'] ?? {}) });
    }
    emit({ type: 'part-end', part, ...(kind === 'reasoning' && signature !== '' && { signature }) });
  }

  stopAll(emit: Emit): void {
    for (const index of [...this.#open.keys()]) this.stop(index, emit);
  }

  /** The initial content is usually empty; a compatible provider may put the first piece here. */
  #giveInitialContent(block: OpenBlock, emit: Emit): void {
    const { text, thinking, signature, citations } = block.block;
    if (block.kind === 'text') {
      give(block, text, emit);
      for (const citation of decodeCitations(citations)) {
        emit({ type: 'part-delta', part: block.part, text: '', citation });
      }
    } else if (block.kind === 'reasoning') {
      give(block, thinking, emit);
      if (typeof signature === 'string') block.signature = signature;
    }
  }
}

const TYPE_ONLY: ReadonlySet<string> = new Set(['type']);

function kindOf({ type, data, id, name }: JsonObject): OpenBlock['kind'] {
  if (type === 'text') return 'text';
  if (type === 'thinking' || (type === 'redacted_thinking' && typeof data === 'string')) return 'reasoning';
  return type === 'tool_use' && typeof id === 'string' && typeof name === 'string' ? 'tool-call' : 'opaque';
}

function startOf(
  block: JsonObject,
  kind: 'text' | 'reasoning' | 'tool-call',
): Pick<PartStart, 'kind' | 'toolCall' | 'reasoning' | 'extras'> {
  if (kind === 'text') return { kind };
  if (kind === 'reasoning') {
    const encrypted = block['type'] === 'redacted_thinking' ? { encrypted: String(block['data']) } : {};
    return { kind, reasoning: { ...encrypted, origin: PROTOCOL } };
  }
  const toolCall = { id: String(block['id']), name: String(block['name']) };
  return { kind, toolCall, ...keep(fieldsBeside(block, TOOL_USE_FIELDS)) };
}

function give(block: OpenBlock, text: Json | undefined, emit: Emit): void {
  if (typeof text === 'string' && text !== '' && block.kind !== 'opaque') {
    emit({ type: 'part-delta', part: block.part, text });
  }
}

function wholeBlock({ block, json }: OpenBlock): JsonObject {
  if (json === '') return block;
  return { ...block, input: parseTrustedJson(json) ?? json };
}
