/** The conversation as Google's turns: only `user` and `model`, with the system text in a field of its own. */
import type { Message, Part } from '../../../core/chat.ts';
import type { JsonObject } from '../../../core/json.ts';
import { keptBlock } from '../own-fields.ts';
import { encodeMedia } from './encode-media.ts';
import { encodeToolCall, encodeToolResult } from './encode-tool-turns.ts';
import type { GeminiFamily } from './model-family.ts';

interface Turn {
  role: 'user' | 'model';
  /** Results of calls stand in a turn of their own, right after the calls. */
  answersCalls: boolean;
  parts: JsonObject[];
}

export interface GeminiTurns {
  systemInstruction?: JsonObject;
  contents: JsonObject[];
}

export function encodeConversation(
  messages: readonly Message[],
  family: GeminiFamily,
  drop: (field: string) => void,
): GeminiTurns {
  const leading = messages.findIndex((message) => !isSystem(message));
  const systemCount = leading === -1 ? messages.length : leading;
  const system = messages.slice(0, systemCount).flatMap((message) => texts(message.parts));
  const turns: Turn[] = [];
  const callNames = new Map<string, string>();
  for (const [index, message] of messages.entries()) {
    if (message.name !== undefined) drop('messages.name');
    if (index < systemCount) continue;
    if (isSystem(message)) drop('system role of a later message');
    const param = `messages.${index}.content`;
    if (message.role === 'assistant') addTurn(turns, 'model', false, modelParts(message, callNames, family, param));
    else
      for (const [answers, parts] of userParts(message, callNames, family, param))
        addTurn(turns, 'user', answers, parts);
  }
  // A request without a turn is refused, so a lone system text becomes the question.
  if (turns.length === 0) return { contents: [{ role: 'user', parts: system.length > 0 ? system : [{ text: '' }] }] };
  const contents = turns.map(({ role, parts }): JsonObject => ({ role, parts }));
  return system.length > 0 ? { systemInstruction: { parts: system }, contents } : { contents };
}

function isSystem({ role }: Message): boolean {
  return role === 'system' || role === 'developer';
}

/** Neighbours of one kind become one turn: older models want the roles to alternate. */
function addTurn(turns: Turn[], role: Turn['role'], answersCalls: boolean, parts: JsonObject[]): void {
  if (parts.length === 0) return;
  const last = turns.at(-1);
  if (last && last.role === role && last.answersCalls === answersCalls) last.parts.push(...parts);
  else turns.push({ role, answersCalls, parts: [...parts] });
}

function texts(parts: readonly Part[]): JsonObject[] {
  const found: JsonObject[] = [];
  for (const part of parts) if (part.kind === 'text' && part.text !== '') found.push({ text: part.text });
  return found;
}

function modelParts(
  message: Message,
  callNames: Map<string, string>,
  family: GeminiFamily,
  param: string,
): JsonObject[] {
  const out: JsonObject[] = [];
  let calls = 0;
  for (const part of message.parts) {
    switch (part.kind) {
      case 'tool-call':
        callNames.set(part.id, part.name);
        out.push(encodeToolCall(part, calls++ === 0, family));
        break;
      case 'reasoning':
        // Reasoning of other providers means nothing to Google, and its own is needed only for its signature.
        if (part.signature !== undefined && part.origin === 'gemini-generate') {
          out.push({ text: part.text, thought: true, thoughtSignature: part.signature });
        }
        break;
      default:
        out.push(...plainPart(part, param));
    }
  }
  return out;
}

/** A user's message, split into the results it brings and its other content. */
function userParts(
  message: Message,
  callNames: ReadonlyMap<string, string>,
  family: GeminiFamily,
  param: string,
): [answersCalls: boolean, parts: JsonObject[]][] {
  const results: JsonObject[] = [];
  const said: JsonObject[] = [];
  for (const part of message.parts) {
    if (part.kind === 'tool-result') results.push(...encodeToolResult(part, callNames, family, param));
    else said.push(...plainPart(part, param));
  }
  return [
    [true, results],
    [false, said],
  ];
}

function plainPart(part: Part, param: string): JsonObject[] {
  const whole = keptBlock(part);
  if (whole) return [whole];
  switch (part.kind) {
    case 'text': {
      const thoughtSignature = part.extras?.['gemini-generate']?.['thoughtSignature'];
      if (typeof thoughtSignature === 'string') return [{ text: part.text, thoughtSignature }];
      return part.text === '' ? [] : [{ text: part.text }];
    }
    case 'refusal':
      return part.text === '' ? [] : [{ text: part.text }];
    case 'image':
    case 'audio':
    case 'file':
      return [encodeMedia(part, param)];
    default:
      return [];
  }
}
