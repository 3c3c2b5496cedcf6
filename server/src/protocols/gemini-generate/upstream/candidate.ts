/** One candidate of an answer, turned into parts as its pieces arrive. Whole answers go through the same code. */
import type { Finish } from '../../../core/chat.ts';
import type { ChatEvent, PartStart } from '../../../core/events.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { finishOf, isBroken } from '../finish.ts';
import { readCitations, readLogprobs } from './grounding.ts';
import { PartialArgs } from './partial-args.ts';

type Emit = (event: ChatEvent) => void;

/** Counters of the whole answer, shared by its candidates. */
interface AnswerNumbers {
  nextPart(): number;
  nextCallId(): string;
}

interface OpenPart {
  number: number;
  kind: 'text' | 'reasoning';
  text: string;
  /** Known before the part ends; the next piece then belongs to another part. */
  signature?: string;
}

/** A call of which more pieces will come. */
interface OpenCall {
  part: number;
  name: string;
  id: Json | undefined;
  args: PartialArgs;
  /** The signature, when it came after the call had begun. */
  signature?: string;
}

export class CandidateReader {
  readonly #choice: number;
  readonly #numbers: AnswerNumbers;
  #open: OpenPart | undefined;
  #openCall: OpenCall | undefined;
  #hasCalls = false;
  #reason: string | undefined;

  constructor(choice: number, numbers: AnswerNumbers) {
    this.#choice = choice;
    this.#numbers = numbers;
  }

  push(candidate: JsonObject, emit: Emit): void {
    const { content } = candidate;
    const parts = isJsonObject(content) && Array.isArray(content['parts']) ? content['parts'] : [];
    for (const part of parts) if (isJsonObject(part)) this.#pushPart(part, emit);
    this.#pushRemarks(candidate, emit);
    const reason = candidate['finishReason'];
    if (typeof reason !== 'string') return;
    this.#reason = reason;
    if (isBroken(reason, this.#hasCalls)) {
      const message = typeof candidate['finishMessage'] === 'string' ? candidate['finishMessage'] : reason;
      emit({ type: 'failure', failure: { kind: 'malformed', message, code: reason } });
    }
  }

  get isFinished(): boolean {
    return this.#reason !== undefined;
  }

  /** Ends the open part and says how the candidate ended. */
  close(emit: Emit): Finish {
    this.#closeCall(emit);
    this.#closeOpen(emit);
    return this.#reason === undefined
      ? { kind: this.#hasCalls ? 'tool-calls' : 'stop' }
      : finishOf(this.#reason, this.#hasCalls);
  }

  /** Code the provider ran itself (`executableCode`, `toolCall`, …) has no canonical form; its answer's text has. */
  #pushPart(part: JsonObject, emit: Emit): void {
    const { text, functionCall, inlineData } = part;
    const raw = part['thoughtSignature'];
    const signature = typeof raw === 'string' && raw !== '' ? raw : undefined;
    if (isJsonObject(functionCall)) this.#pushCall(functionCall, signature, emit);
    else if (typeof text === 'string') {
      this.#pushText(part['thought'] === true ? 'reasoning' : 'text', text, signature, emit);
    } else if (isJsonObject(inlineData)) this.#pushMedia(inlineData, emit);
  }

  #pushText(kind: OpenPart['kind'], text: string, signature: string | undefined, emit: Emit): void {
    if (text !== '') {
      const open = this.#openFor(kind, emit);
      open.text += text;
      emit({ type: 'part-delta', part: open.number, text });
    }
    // A signature may come last, on an empty piece: it belongs to what came before.
    if (signature !== undefined && this.#open) this.#open.signature = signature;
  }

  #openFor(kind: OpenPart['kind'], emit: Emit): OpenPart {
    const open = this.#open;
    if (open && open.kind === kind && open.signature === undefined) return open;
    const reasoning = kind === 'reasoning' ? { reasoning: { summary: true, origin: 'gemini-generate' as const } } : {};
    const number = this.#start({ kind, ...reasoning }, emit);
    this.#open = { number, kind, text: '' };
    return this.#open;
  }

  /** A call arrives whole, or in pieces where arguments are streamed; the pieces after the first have no name. */
  #pushCall(call: JsonObject, signature: string | undefined, emit: Emit): void {
    const { args, partialArgs, willContinue } = call;
    const open = this.#openCall;
    if (open && continues(open, call)) {
      if (signature !== undefined) open.signature = signature;
    } else {
      this.#closeCall(emit);
      const part = this.#startCall(call, signature, emit);
      if (willContinue !== true && partialArgs === undefined) {
        emit({ type: 'part-delta', part, text: JSON.stringify(args ?? {}) });
        emit({ type: 'part-end', part });
        return;
      }
      this.#openCall = { part, name: String(call['name'] ?? ''), id: call['id'], args: new PartialArgs() };
    }
    const pieces = (this.#openCall as OpenCall).args;
    pieces.merge(args);
    if (!pieces.add(partialArgs)) {
      emit({ type: 'failure', failure: { kind: 'malformed', message: 'a piece of arguments that has no place' } });
    }
    if (willContinue !== true) this.#closeCall(emit);
  }

  /** Most calls come without an id, which every other protocol needs. */
  #startCall({ id, name }: JsonObject, signature: string | undefined, emit: Emit): number {
    this.#hasCalls = true;
    const toolCall = {
      id: typeof id === 'string' && id !== '' ? id : this.#numbers.nextCallId(),
      name: typeof name === 'string' ? name : '',
      ...(signature !== undefined && { signature }),
    };
    return this.#start({ kind: 'tool-call', toolCall }, emit);
  }

  #closeCall(emit: Emit): void {
    const open = this.#openCall;
    if (!open) return;
    this.#openCall = undefined;
    emit({ type: 'part-delta', part: open.part, text: open.args.text() });
    emit({ type: 'part-end', part: open.part, ...(open.signature !== undefined && { signature: open.signature }) });
  }

  #pushMedia({ mimeType, data }: JsonObject, emit: Emit): void {
    if (typeof mimeType !== 'string' || typeof data !== 'string') return;
    if (mimeType.startsWith('audio/')) {
      const part = this.#start({ kind: 'audio', audio: { format: audioFormat(mimeType) } }, emit);
      emit({ type: 'part-delta', part, text: data });
      emit({ type: 'part-end', part });
      return;
    }
    const part = this.#start({ kind: 'image', image: { mediaType: mimeType, data } }, emit);
    emit({ type: 'part-end', part });
  }

  /** Sources and logprobs belong to text; an answer without text drops them. */
  #pushRemarks(candidate: JsonObject, emit: Emit): void {
    const open = this.#open;
    if (open?.kind !== 'text') return;
    const part = open.number;
    const logprobs = readLogprobs(candidate['logprobsResult']);
    if (logprobs) emit({ type: 'part-delta', part, text: '', logprobs });
    for (const citation of readCitations(candidate['groundingMetadata'], open.text)) {
      emit({ type: 'part-delta', part, text: '', citation });
    }
  }

  #start(start: Omit<PartStart, 'type' | 'part' | 'choice'>, emit: Emit): number {
    this.#closeOpen(emit);
    const part = this.#numbers.nextPart();
    emit({ type: 'part-start', part, choice: this.#choice, ...start });
    return part;
  }

  #closeOpen(emit: Emit): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    const signature = open.signature === undefined ? {} : { signature: open.signature };
    emit({ type: 'part-end', part: open.number, ...signature });
  }
}

/** Pieces after the first have neither name nor id, or repeat both. */
function continues(open: OpenCall, { name = '', id = open.id }: JsonObject): boolean {
  return (name === '' || name === null || name === open.name) && id === open.id;
}

/** `audio/L16;codec=pcm;rate=24000` is what the chat protocol calls pcm16. */
function audioFormat(mimeType: string): string {
  const subtype = (mimeType.slice('audio/'.length).split(';')[0] as string).toLowerCase();
  return subtype === 'l16' ? 'pcm16' : subtype;
}

/** Candidates without an index are numbered by their position. */
export function choiceOf(candidate: JsonObject, position: number): number {
  const index: Json | undefined = candidate['index'];
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < MAX_CHOICES ? index : position;
}

const MAX_CHOICES = 128;
