/** A conversation with one model: what is sent, how the stream is read, and what an answer cost. */
import { callHeaders, refusalOf } from '../../api/call.ts';
import { passageAddress } from '../knowledge/passage-address.ts';

export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

export interface Cite {
  title: string;
  /** Where it can be read. */
  href?: string | undefined;
  /** The number that stands for it in the answer. */
  number?: number;
  /** Where in its document the passage stands. */
  where?: { heading: string | undefined; page: number | undefined; place: number };
  /** By these words it is told from other passages of its document, until its number is known. */
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

interface Chunk {
  choices?: {
    delta?: {
      content?: string | null;
      reasoning_content?: string | null;
      reasoning?: string | null;
      annotations?: {
        type: string;
        url_citation?: { title?: string; url?: string; content?: string };
        file_citation?: { filename?: string };
      }[];
      tool_calls?: { index: number; id?: string; function?: { name?: string; arguments?: string } }[];
    };
  }[];
  usage?: { prompt_tokens?: number; completion_tokens?: number; cost?: number | string } | null;
  svc?: { references?: Reference[] };
  error?: { message: string };
}

interface Reference {
  index: number;
  knowledge_base_id: string;
  document_id: string;
  title: string;
  place: number;
  page?: number;
  heading?: string;
  excerpt: string;
}

/** Streams one answer. `onChange` gets the answer as it grows; the last one is complete. */
export async function ask(
  body: Record<string, unknown>,
  signal: AbortSignal,
  onChange: (answer: Message) => void,
): Promise<void> {
  const began = performance.now();
  let answer: Message = { role: 'assistant', text: '', running: true };
  const put = (part: Partial<Message>) => {
    answer = { ...answer, ...part };
    onChange(answer);
  };
  put({});
  try {
    const response = await fetch('/api/console/playground/chat', {
      method: 'POST',
      headers: { ...callHeaders(), accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, stream: true, stream_options: { include_usage: true } }),
      signal,
    });
    put({ requestId: response.headers.get('x-svc-request-id') ?? undefined });
    if (!response.ok) throw await refusalOf(response);
    for await (const chunk of chunksOf(response)) {
      if (chunk.error !== undefined) throw new Error(chunk.error.message);
      const grown = grow(answer, chunk);
      if (answer.firstMs === undefined && (grown.text ?? grown.reasoning ?? grown.toolCalls) !== undefined)
        grown.firstMs = performance.now() - began;
      put(grown);
    }
    put({ running: false, totalMs: performance.now() - began });
  } catch (error) {
    const totalMs = performance.now() - began;
    if (signal.aborted) put({ running: false, stopped: true, totalMs });
    else put({ running: false, totalMs, error: (error as Error).message });
  }
}

function grow(answer: Message, { choices, usage, svc }: Chunk): Partial<Message> {
  const delta = choices?.[0]?.delta;
  const grown: Partial<Message> = {};
  if (delta?.content) grown.text = answer.text + delta.content;
  const reasoning = delta?.reasoning_content ?? delta?.reasoning;
  if (reasoning) grown.reasoning = (answer.reasoning ?? '') + reasoning;
  if (delta?.annotations !== undefined) {
    const found = delta.annotations.map(({ url_citation: web, file_citation: file }) => ({
      title: web?.title ?? file?.filename ?? web?.url ?? '',
      quote: web?.content,
      href: web?.url?.startsWith('https://') ? web.url : undefined,
    }));
    const known = answer.cites ?? [];
    const isKnown = (one: Cite) => known.some(({ title, quote }) => title === one.title && quote === one.quote);
    grown.cites = [...known, ...found.filter((cite) => cite.title !== '' && !isKnown(cite))];
  }
  if (svc?.references !== undefined) grown.cites = (answer.cites ?? []).map(namedBy(svc.references));
  if (delta?.tool_calls !== undefined) {
    const calls = [...(answer.toolCalls ?? [])];
    for (const { index, id, function: part } of delta.tool_calls) {
      const before = calls[index] ?? { id: '', name: '', arguments: '' };
      calls[index] = {
        id: id ?? before.id,
        name: before.name + (part?.name ?? ''),
        arguments: before.arguments + (part?.arguments ?? ''),
      };
    }
    grown.toolCalls = calls;
  }
  if (usage) {
    if (usage.prompt_tokens !== undefined) grown.inputTokens = usage.prompt_tokens;
    if (usage.completion_tokens !== undefined) grown.outputTokens = usage.completion_tokens;
    if (usage.cost !== undefined) grown.cost = plainDecimal(usage.cost);
  }
  return grown;
}

/** The references come last and say which passage of which document a citation is. */
function namedBy(references: readonly Reference[]): (cite: Cite) => Cite {
  return (cite) => {
    // The title of a citation begins with that of its document and goes on with its place there.
    const found = references.find(({ title, excerpt }) => cite.title.startsWith(title) && excerpt === cite.quote);
    if (found === undefined) return cite;
    const { index, title, heading, page, place } = found;
    return { title, number: index, href: passageAddress(found), where: { heading, page, place } };
  };
}

/** A number from JSON as decimal text, also where JavaScript would write 1e-7. */
function plainDecimal(value: number | string): string {
  return typeof value === 'string' ? value : value.toFixed(6).replace(/\.?0+$/, '');
}

async function* chunksOf(response: Response): AsyncGenerator<Chunk> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const data = line.startsWith('data:') ? line.slice(5).trim() : '';
      if (data === '[DONE]') return;
      if (data !== '') yield JSON.parse(data) as Chunk;
    }
  }
}
