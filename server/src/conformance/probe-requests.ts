/** How the requests of probes are written: small, each with one unmistakable answer. */
import type { ChatRequest, Message, Part, Tool } from '../core/chat.ts';

/** A model that reasons first needs room for it; others stop by themselves after a few words. */
const ROOM = 1_024;

export function asking(messages: Message[], more: Partial<ChatRequest> = {}): ChatRequest {
  return {
    model: undefined,
    messages,
    tools: [],
    output: { kind: 'text' },
    sampling: {},
    maxOutputTokens: ROOM,
    stream: false,
    includeUsage: true,
    svc: { knowledgeBaseIds: [] },
    extras: {},
    ...more,
  };
}

export function user(...parts: (string | Part)[]): Message {
  return { role: 'user', parts: parts.map((part) => (typeof part === 'string' ? { kind: 'text', text: part } : part)) };
}

/** A tool whose call is right when it names the place. */
export function placeTool(name: string, description: string): Tool {
  return {
    kind: 'function',
    name,
    description,
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', description: 'The name of the city.' } },
      required: ['city'],
      additionalProperties: false,
    },
  };
}

/** 32 by 32 points of one colour. */
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAKElEQVR42u3NQQkAAAgAsesf1Bym8CEM9l9TpxIIBAKBQCAQCARfggVrMpguoai4CwAAAABJRU5ErkJggg==';

/** Plain sentences, no two alike, so that nothing of them can be guessed. */
export function filler(lines: number): string {
  const text: string[] = [];
  for (let line = 1; line <= lines; line++) {
    text.push(`Line ${line}: the clerk of room ${(line * 7) % 100} noted ${(line * 13) % 97} boxes and went home.`);
  }
  return text.join('\n');
}
