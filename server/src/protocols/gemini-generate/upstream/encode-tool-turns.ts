/**
 * Calls and their results in the history. Google pairs them by the function's name first and by id second, so a result
 * needs the name of its call; and newer models refuse a call of theirs that comes back without its signature.
 */
import type { AudioPart, FilePart, ImagePart, ToolCallPart, ToolResultPart } from '../../../core/chat.ts';
import { invalidRequest } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject, JsonRefused, parseJson } from '../../../core/json.ts';
import { reasons } from '../../../core/reasons.ts';
import { kept } from '../own-fields.ts';
import { encodeMedia } from './encode-media.ts';
import { type GeminiFamily, isThirdGeneration } from './model-family.ts';

/**
 * The documented stand-in for a call that another model made: "skip_thought_signature_validator", in base64 because the
 * field holds bytes. Without it every conversation that switches to such a model in the middle is answered with 400.
 */
const SKIP_SIGNATURE_CHECK = 'c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=';

export function encodeToolCall(call: ToolCallPart, isFirstOfTurn: boolean, family: GeminiFamily): JsonObject {
  const functionCall: JsonObject = { id: call.id, name: call.name, args: argumentsOf(call.arguments) };
  // Of parallel calls only the first is signed, as the provider does.
  const needed = isFirstOfTurn && isThirdGeneration(family) ? SKIP_SIGNATURE_CHECK : undefined;
  const thoughtSignature = call.signature ?? needed;
  return thoughtSignature === undefined ? { functionCall } : { functionCall, thoughtSignature };
}

/** The wire takes only an object. Other arguments (cut off, or free text) are shown to the model as they were. */
export function argumentsOf(text: string): JsonObject {
  if (text.trim() === '') return {};
  const parsed = parsedOrUndefined(text);
  return isJsonObject(parsed) ? parsed : { input: parsed ?? text };
}

function parsedOrUndefined(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonRefused) return undefined;
    throw error;
  }
}

/** The parts that answer one call: the result, and after it the media an older model cannot take inside the result. */
export function encodeToolResult(
  result: ToolResultPart,
  callNames: ReadonlyMap<string, string>,
  family: GeminiFamily,
  param: string,
): JsonObject[] {
  const name = callNames.get(result.callId);
  if (name === undefined) throw invalidRequest(param, reasons.orphanToolMessage(result.callId));
  const texts: string[] = [];
  const media: JsonObject[] = [];
  for (const part of result.content) {
    if (part.kind === 'text') texts.push(part.text);
    else if (isMedia(part)) media.push(encodeMedia(part, param));
  }
  const response = responseOf(result, texts.join('\n'));
  const functionResponse: JsonObject = { id: result.callId, name, response };
  if (media.length === 0) return [{ functionResponse }];
  if (isThirdGeneration(family)) return [{ functionResponse: { ...functionResponse, parts: media } }];
  return [{ functionResponse }, { text: `Files returned by ${name}:` }, ...media];
}

/** Clients of this protocol may answer with an object, which is sent back as they wrote it. */
function responseOf(result: ToolResultPart, text: string): JsonObject {
  const own = kept(result)?.['whole'] === true ? parsedOrUndefined(text) : undefined;
  return isJsonObject(own) ? own : { [result.isError ? 'error' : 'output']: text };
}

function isMedia(part: { kind: string }): part is ImagePart | AudioPart | FilePart {
  return part.kind === 'image' || part.kind === 'audio' || part.kind === 'file';
}
