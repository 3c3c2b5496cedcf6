/** Both sides speak this protocol: Google's answer goes out as it came, so fields unknown to us survive. */
import type { ChatRequest } from '../../../core/chat.ts';
import type { GatewayError } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { AnswerClosing, ClientView, CodecTarget, RelayCodec, SseFrame, StreamRelay } from '../../protocol.ts';
import { encodeServiceExtension } from '../../service-extension.ts';
import { EMPTY_PART } from '../client/encode-parts.ts';
import { errorFrame } from '../client/errors.ts';
import { geminiFrame } from '../client/gemini-frame.ts';
import { PROTOCOL } from '../own-fields.ts';
import { choiceOf } from '../upstream/candidate.ts';
import { errorIn } from '../upstream/decode-failure.ts';
import { encodeRequest } from '../upstream/encode-request.ts';
import { encodeUsage } from '../usage.ts';
import { openUnread, unreadInWhole } from './unread-fields.ts';

export const geminiGenerateRelay: RelayCodec = {
  protocol: PROTOCOL,
  // Requests are always decoded and encoded again, so that nothing that costs extra passes unseen.
  patchRequest: (_body: JsonObject, request: ChatRequest, target: CodecTarget) => encodeRequest(request, target),
  patchResponse,
  openRelay: (view) => new GenerateRelay(view),
  openUnread,
  unreadInWhole,
};

function patchResponse(body: JsonObject, view: ClientView, closing: AnswerClosing): JsonObject {
  const svc = encodeServiceExtension(closing);
  return {
    ...body,
    usageMetadata: finalUsage(body['usageMetadata'], closing),
    modelVersion: view.model,
    responseId: view.responseId,
    ...(svc && { svc }),
  };
}

/** The provider's own report stands; a counter it left out is filled from ours. */
function finalUsage(reported: Json | undefined, closing: AnswerClosing): JsonObject {
  const ours = encodeUsage(closing);
  return { ...ours, ...(isJsonObject(reported) && reported), cost: ours['cost'] };
}

const CUT = 'MAX_TOKENS';

class GenerateRelay implements StreamRelay {
  readonly #view: ClientView;
  /**
   * The finish reason of each choice. Some models repeat it in every frame, so it is sent once, when the charge is
   * known.
   */
  readonly #reasons = new Map<number, Json>();
  #feedback: Json | undefined;
  #usage: JsonObject | undefined;

  constructor(view: ClientView) {
    this.#view = view;
  }

  forward({ json }: SseFrame): string {
    // `fail` reports an error in the stream with our own text: the provider's never reaches a client.
    if (!isJsonObject(json) || errorIn(json)) return '';
    const { candidates, promptFeedback, usageMetadata, ...rest } = json;
    if (isJsonObject(usageMetadata)) this.#usage = { ...this.#usage, ...usageMetadata };
    if (promptFeedback !== undefined) this.#feedback = promptFeedback;
    if (!Array.isArray(candidates) || candidates.length === 0) return '';
    const open = candidates.map((candidate, position) =>
      isJsonObject(candidate) ? this.#withoutEnd(candidate, choiceOf(candidate, position)) : candidate,
    );
    return this.#frame({ ...rest, candidates: open, ...(isJsonObject(usageMetadata) && { usageMetadata }) });
  }

  cutShort(): string {
    if (this.#reasons.size === 0) this.#reasons.set(0, CUT);
    for (const index of this.#reasons.keys()) this.#reasons.set(index, CUT);
    return '';
  }

  finish(closing: AnswerClosing): string {
    const svc = encodeServiceExtension(closing);
    const candidates = [...this.#reasons].map(
      ([index, finishReason]): JsonObject => ({
        content: { role: 'model', parts: [EMPTY_PART] },
        finishReason,
        index,
      }),
    );
    return this.#frame({
      ...(candidates.length > 0 && { candidates }),
      ...(this.#feedback !== undefined && { promptFeedback: this.#feedback }),
      usageMetadata: finalUsage(this.#usage, closing),
      ...(svc && { svc }),
    });
  }

  fail(error: GatewayError): string {
    return errorFrame(error, this.#view);
  }

  /** With a candidate without a part the SDKs' chat helpers would drop the turn. */
  #withoutEnd({ finishReason, ...candidate }: JsonObject, index: number): JsonObject {
    if (finishReason !== undefined) this.#reasons.set(index, finishReason);
    const { content } = candidate;
    const parts = isJsonObject(content) ? content['parts'] : undefined;
    if (Array.isArray(parts) && parts.length > 0) return candidate;
    return { ...candidate, content: { role: 'model', parts: [EMPTY_PART] } };
  }

  #frame(fields: JsonObject): string {
    const { model: modelVersion, responseId } = this.#view;
    return geminiFrame({ ...fields, modelVersion, responseId });
  }
}
