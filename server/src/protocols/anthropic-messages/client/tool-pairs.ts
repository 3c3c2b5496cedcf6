/**
 * Every tool_use must be answered by a tool_result in the user turn that follows, and every tool_result must answer one.
 * Others are refused here with the field's name, since a provider's refusal would come late and blame our translation.
 */
import type { Part } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import { reasons } from '../../../core/reasons.ts';

export class ToolPairs {
  /** Calls that wait for their result: id → path of the call. */
  readonly #waiting = new Map<string, string>();
  #answering = false;

  assistantTurn(parts: Part[], at: string): void {
    if (this.#answering) this.close();
    for (const part of parts) if (part.kind === 'tool-call') this.#waiting.set(part.id, at);
  }

  userTurn(parts: Part[], at: string): void {
    this.#answering = true;
    for (const part of parts) {
      if (part.kind === 'tool-result' && !this.#waiting.delete(part.callId)) {
        throw invalidRequest(at, reasons.orphanToolMessage(part.callId));
      }
    }
  }

  /** At the end of the list, or of a user turn, no call may still wait. */
  close(): void {
    for (const [id, at] of this.#waiting) throw invalidRequest(at, reasons.unansweredToolCall(id));
    this.#answering = false;
  }
}
