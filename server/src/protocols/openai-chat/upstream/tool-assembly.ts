/**
 * Streamed tool calls, put together whatever a provider leaves out or repeats: no index, no id, the same id or index for
 * two calls, the name after the arguments, the name in every piece, all arguments at once. What comes out is regular:
 * each call starts once, with an id and a name, and then only grows.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { madeToolCallId, readToolCallPiece, type ToolCallPiece } from '../tool-calls.ts';

export interface AssembledCall {
  /** Its index among the calls of the choice, counted by us. */
  position: number;
  id: string | undefined;
  /** The id as the provider gave it, which may be another call's too. */
  wireId: string | undefined;
  name: string | undefined;
  custom: boolean;
  signature: string | undefined;
  started: boolean;
  hasArguments: boolean;
  /** Arguments that came before the name. */
  early: string;
}

/** What one piece of the wire means: `starts` at most once per call, then arguments to append. */
export interface ToolStep {
  call: AssembledCall;
  starts: boolean;
  text: string;
  /** A signature that came after the start. */
  lateSignature: string | undefined;
  entry: JsonObject;
}

export class ToolAssembly {
  readonly #choice: number;
  readonly #calls: AssembledCall[] = [];
  readonly #byIndex = new Map<number, AssembledCall>();
  readonly #ids = new Set<string>();

  constructor(choice: number) {
    this.#choice = choice;
  }

  get calls(): readonly AssembledCall[] {
    return this.#calls;
  }

  /** Calls that have arguments but never got a name: such an answer cannot be used. */
  get hasNameless(): boolean {
    return this.#calls.some(({ started, early }) => !started && early !== '');
  }

  /** `entries` is the wire's `tool_calls`; `responseId` is used for calls without an id. */
  push(entries: Json | undefined, responseId: string | undefined): ToolStep[] {
    if (!Array.isArray(entries)) return [];
    const steps: ToolStep[] = [];
    for (const entry of entries) {
      if (!isJsonObject(entry)) continue;
      const piece = readToolCallPiece(entry);
      const step = this.#advance(this.#callOf(piece), piece, entry, responseId);
      if (step) steps.push(step);
    }
    return steps;
  }

  #callOf(piece: ToolCallPiece): AssembledCall {
    const known = piece.index === undefined ? this.#callWithoutIndex(piece) : this.#byIndex.get(piece.index);
    if (known && !this.#isAnother(known, piece)) return known;
    const call: AssembledCall = {
      position: this.#calls.length,
      id: undefined,
      wireId: undefined,
      name: undefined,
      custom: piece.custom,
      signature: undefined,
      started: false,
      hasArguments: false,
      early: '',
    };
    this.#calls.push(call);
    if (piece.index !== undefined) this.#byIndex.set(piece.index, call);
    return call;
  }

  #callWithoutIndex(piece: ToolCallPiece): AssembledCall | undefined {
    const last = this.#calls.at(-1);
    if (piece.id !== undefined) {
      const same = this.#calls.find(({ wireId }) => wireId === piece.id);
      return same ?? (last && !last.started && last.wireId === undefined ? last : undefined);
    }
    // With neither index nor id, a name begins a call and its absence continues the last one.
    return piece.name !== undefined && last?.started ? undefined : last;
  }

  /** Providers that number every parallel call 0 tell them apart by id and name. */
  #isAnother(known: AssembledCall, { id, name }: ToolCallPiece): boolean {
    return id !== undefined && name !== undefined && known.started && known.wireId !== undefined && known.wireId !== id;
  }

  #advance(
    call: AssembledCall,
    piece: ToolCallPiece,
    entry: JsonObject,
    responseId: string | undefined,
  ): ToolStep | undefined {
    if (piece.arguments !== '') call.hasArguments = true;
    if (call.started) {
      const lateSignature = piece.signature !== call.signature ? piece.signature : undefined;
      if (lateSignature !== undefined) call.signature = lateSignature;
      return { call, starts: false, text: piece.arguments, lateSignature, entry };
    }
    call.id ??= this.#free(piece.id);
    call.wireId ??= piece.id;
    call.name ??= piece.name;
    call.signature ??= piece.signature;
    call.custom ||= piece.custom;
    if (call.name === undefined) {
      call.early += piece.arguments;
      return undefined;
    }
    call.id ??= madeToolCallId(responseId, this.#choice, call.position);
    this.#ids.add(call.id);
    call.started = true;
    const text = call.early + piece.arguments;
    call.early = '';
    return { call, starts: true, text, lateSignature: undefined, entry };
  }

  /** An id that another call of this answer already has is no id. */
  #free(id: string | undefined): string | undefined {
    return id !== undefined && this.#ids.has(id) ? undefined : id;
  }
}
