/**
 * Enforces the grammar of core/events.ts. Providers splice, repeat and cut their streams; every decoder is wrapped in
 * this guard, so that encoders, meters and folds may trust what they are given.
 */
import type { Finish } from '../core/chat.ts';
import type { ChatEvent, PartDelta, PartEnd, PartStart, ResponseEnd, StreamedPartKind } from '../core/events.ts';
import type { FailureKind } from '../core/failure.ts';
import type { StreamDecoder } from './protocol.ts';

type Emit = (event: ChatEvent) => void;

interface GuardedPart {
  /** The number under which the part left the guard; a reopened part leaves under a new one. */
  number: number;
  choice: number;
  kind: StreamedPartKind;
  open: boolean;
}

export function openGuard(decoder: StreamDecoder): StreamDecoder {
  const guard = new StreamGuard();
  return {
    // There is nothing to guard: the frame before passed, and its part is open.
    ...(decoder.repeat && { repeat: (text: string) => decoder.repeat?.(text) }),
    push: (frame, emit) => decoder.push(frame, (event) => guard.pass(event, emit)),
    end: (emit) => {
      decoder.end((event) => guard.pass(event, emit));
      guard.close(emit);
    },
  };
}

class StreamGuard {
  #started = false;
  #ended = false;
  #failed = false;
  /** Parts by the decoder's own number. */
  readonly #parts = new Map<number, GuardedPart>();
  readonly #choicesWithToolCalls = new Set<number>();
  #choiceCount = 1;
  #nextNumber = 0;

  pass(event: ChatEvent, emit: Emit): void {
    if (this.#failed || (this.#ended && event.type !== 'usage-update')) return;
    if (event.type === 'failure') {
      this.#failed = true;
      emit(event);
      return;
    }
    if (event.type === 'response-start') {
      // A second start is a spliced stream (a provider's own retry): the first one has gone out already.
      if (this.#started) return;
      this.#started = true;
      emit(event);
      return;
    }
    this.#ensureStarted(emit);
    switch (event.type) {
      case 'part-start':
        this.#startPart(event, emit);
        break;
      case 'part-delta':
        this.#passDelta(event, emit);
        break;
      case 'part-end':
        this.#endPart(event, emit);
        break;
      case 'response-end':
        this.#endResponse(event, emit);
        break;
      case 'usage-update':
        emit(event);
        break;
    }
  }

  /** The provider closed the connection. Without a terminal marker the answer is cut, however complete it looks. */
  close(emit: Emit): void {
    if (this.#ended || this.#failed) return;
    if (this.#started) this.#fail('truncated', 'the stream ended without its terminal marker', emit);
    else this.#fail('empty', 'the stream ended without a single event', emit);
  }

  #ensureStarted(emit: Emit): void {
    if (this.#started) return;
    this.#started = true;
    emit({ type: 'response-start' });
  }

  #startPart(event: PartStart, emit: Emit): void {
    if (this.#parts.get(event.part)?.open) return;
    if (event.kind === 'tool-call') {
      if (!event.toolCall?.id || !event.toolCall.name) {
        this.#fail('malformed', 'a tool call without id or name', emit);
        return;
      }
      this.#choicesWithToolCalls.add(event.choice);
    }
    this.#closeProse(event.choice, emit);
    this.#openPart(event, emit);
  }

  #openPart(event: PartStart, emit: Emit): GuardedPart {
    const part: GuardedPart = { number: this.#nextNumber++, choice: event.choice, kind: event.kind, open: true };
    this.#parts.set(event.part, part);
    this.#choiceCount = Math.max(this.#choiceCount, event.choice + 1);
    emit(part.number === event.part ? event : { ...event, part: part.number });
    return part;
  }

  /** At most one part that is not a tool call may be open in a choice; tool calls may run side by side. */
  #closeProse(choice: number, emit: Emit): void {
    for (const part of this.#parts.values()) {
      if (part.open && part.choice === choice && part.kind !== 'tool-call') this.#closePart(part, emit);
    }
  }

  #closePart(part: GuardedPart, emit: Emit): void {
    part.open = false;
    emit({ type: 'part-end', part: part.number });
  }

  #passDelta(event: PartDelta, emit: Emit): void {
    const known = this.#parts.get(event.part);
    const part = known?.open ? known : this.#reopen(event, known, emit);
    if (!part) return;
    emit(part.number === event.part ? event : { ...event, part: part.number });
  }

  /** Handles a delta of a part that never began or is closed. Text goes on in a new part; a tool call cannot be continued. */
  #reopen(event: PartDelta, closed: GuardedPart | undefined, emit: Emit): GuardedPart | undefined {
    if (closed?.kind === 'tool-call') {
      // Dropping the piece would hand the client broken arguments that look whole.
      if (event.text !== '') this.#fail('malformed', 'arguments for a tool call that was already closed', emit);
      return undefined;
    }
    const choice = closed?.choice ?? 0;
    this.#closeProse(choice, emit);
    return this.#openPart({ type: 'part-start', part: event.part, choice, kind: closed?.kind ?? 'text' }, emit);
  }

  #endPart(event: PartEnd, emit: Emit): void {
    const part = this.#parts.get(event.part);
    if (!part?.open) return;
    part.open = false;
    emit(part.number === event.part ? event : { ...event, part: part.number });
  }

  #endResponse(event: ResponseEnd, emit: Emit): void {
    for (const part of this.#parts.values()) if (part.open) this.#closePart(part, emit);
    this.#ended = true;
    const finishes: Finish[] = [];
    for (let choice = 0; choice < Math.max(this.#choiceCount, event.finishes.length); choice++) {
      finishes.push(this.#finishOf(choice, event.finishes[choice]));
    }
    emit({ ...event, finishes });
  }

  /** Several providers say "stop" after a tool call; a client that trusts it would never run the tool. */
  #finishOf(choice: number, finish: Finish | undefined): Finish {
    const known = finish ?? { kind: 'stop' };
    return known.kind === 'stop' && this.#choicesWithToolCalls.has(choice) ? { kind: 'tool-calls' } : known;
  }

  #fail(kind: FailureKind, message: string, emit: Emit): void {
    this.#failed = true;
    emit({ type: 'failure', failure: { kind, message } });
  }
}
