/** A conversation with one model, and what is sent of it. */

export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

export interface Cite {
  title: string;
  /** The address at which it can be read. */
  href?: string | undefined;
  /** Its number in the answer. */
  number?: number;
  /** The passage's position in its document. */
  where?: { heading: string | undefined; page: number | undefined; place: number };
  /** This text distinguishes it from other passages of its document until its number is known. */
  quote?: string | undefined;
}

export interface Message {
  role: 'user' | 'assistant' | 'tool';
  text: string;
  /** data: addresses, only while the page is open. */
  images?: string[];
  reasoning?: string;
  toolCalls?: ToolCall[];
  toolCallId?: string;
  cites?: Cite[];
  error?: string;
  stopped?: boolean;
  running?: boolean;
  requestId?: string | undefined;
  /** The last event of its stream that it contains; the stream continues from there. */
  lastEvent?: number;
  cost?: string;
  inputTokens?: number;
  outputTokens?: number;
  firstMs?: number;
  totalMs?: number;
}

export interface Settings {
  system: string;
  temperature: string | null;
  topP: string | null;
  maxTokens: string | null;
  tools: string;
  schema: string;
  bases: string[];
}

export const NO_SETTINGS: Settings = {
  system: '',
  temperature: null,
  topP: null,
  maxTokens: '1024',
  tools: '',
  schema: '',
  bases: [],
};

/** The body as it would be sent with a key of one's own. */
export function chatBodyOf(model: string, messages: readonly Message[], settings: Settings): Record<string, unknown> {
  const number = (text: string | null) => (text === null ? undefined : Number(text));
  const body: Record<string, unknown> = {
    model,
    messages: [
      ...(settings.system.trim() === '' ? [] : [{ role: 'system', content: settings.system }]),
      ...messages.filter(({ error }) => error === undefined).map(wireOf),
    ],
  };
  const optional = {
    temperature: number(settings.temperature),
    top_p: number(settings.topP),
    max_tokens: number(settings.maxTokens),
  };
  for (const [name, value] of Object.entries(optional)) if (value !== undefined) body[name] = value;
  if (settings.tools.trim() !== '') body['tools'] = JSON.parse(settings.tools);
  if (settings.schema.trim() !== '') {
    body['response_format'] = {
      type: 'json_schema',
      json_schema: { name: 'answer', schema: JSON.parse(settings.schema) },
    };
  }
  if (settings.bases.length > 0) body['svc'] = { knowledge_base_ids: settings.bases };
  return body;
}

function wireOf({ role, text, images, toolCalls, toolCallId }: Message): Record<string, unknown> {
  if (role === 'tool') return { role, tool_call_id: toolCallId, content: text };
  if (role === 'assistant') {
    const calls = toolCalls?.map(({ id, name, arguments: given }) => ({
      id,
      type: 'function',
      function: { name, arguments: given },
    }));
    return {
      role,
      content: text === '' && calls !== undefined ? null : text,
      ...(calls === undefined ? {} : { tool_calls: calls }),
    };
  }
  if (images === undefined || images.length === 0) return { role, content: text };
  return {
    role,
    content: [{ type: 'text', text }, ...images.map((url) => ({ type: 'image_url', image_url: { url } }))],
  };
}
