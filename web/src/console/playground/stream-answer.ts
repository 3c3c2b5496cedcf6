/** One answer as it streams: what grows of it, how it goes on over broken lines and reloads, and how it is stopped. */
import type { cancelPlaygroundStream } from '@dargah/api/console/playground.ts';
import {
  continueEvents,
  type StreamEvent,
  type StreamRefusal,
  streamEvents,
} from '../../../../docs/samples/resumable-stream.mjs';
import { call, callHeaders, refusalOf } from '../../api/call.ts';
import { passageAddress } from '../knowledge/passage-address.ts';
import type { Cite, Message } from './talk.ts';

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

type OnChange = (answer: Message) => void;

const streamAddress = (id: string) => `/api/console/playground/requests/${encodeURIComponent(id)}/stream`;

/**
 * Streams one answer. `onChange` gets the answer as it grows; the last one is complete. For `resumeSeconds` after its end it can
 * still be continued; with 0 it ends with its connection.
 */
export async function ask(
  body: Record<string, unknown>,
  resumeSeconds: number,
  signal: AbortSignal,
  onChange: OnChange,
): Promise<void> {
  const answer = new GrowingAnswer({ role: 'assistant', text: '', running: true }, onChange, performance.now());
  const svc = { ...(body['svc'] as object | undefined), ...(resumeSeconds > 0 && { resume_seconds: resumeSeconds }) };
  const init = {
    method: 'POST',
    headers: { ...streamHeaders(), 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, svc, stream: true, stream_options: { include_usage: true } }),
    signal,
  };
  const onRequest = (requestId: string) => answer.put({ requestId });
  await answer.read(
    streamEvents('/api/console/playground/chat', init, { onRequest, addressOf: streamAddress }),
    signal,
  );
}

/** Continues an answer that a page which is gone had begun to show. */
export async function goOn(begun: Message, signal: AbortSignal, onChange: OnChange): Promise<void> {
  const { requestId, lastEvent = 0 } = begun;
  // Before its first event an answer ends with its connection.
  if (requestId === undefined) return onChange({ ...begun, running: false, stopped: true });
  const init = { headers: streamHeaders(), signal };
  const events = continueEvents(location.href, requestId, lastEvent, init, { addressOf: streamAddress });
  await new GrowingAnswer(begun, onChange, undefined).read(events, signal);
}

const streamHeaders = () => ({ ...callHeaders(), accept: 'text/event-stream' });

class GrowingAnswer {
  #answer: Message;
  readonly #onChange: OnChange;
  /** Undefined where another page began it, because its start is not known here. */
  readonly #began: number | undefined;

  constructor(answer: Message, onChange: OnChange, began: number | undefined) {
    this.#answer = answer;
    this.#onChange = onChange;
    this.#began = began;
    this.put({});
  }

  put(part: Partial<Message>): void {
    this.#answer = { ...this.#answer, ...part };
    this.#onChange(this.#answer);
  }

  async read(events: AsyncGenerator<StreamEvent>, signal: AbortSignal): Promise<void> {
    try {
      for await (const { id, data } of events) {
        if (data === '[DONE]') break;
        this.#take(JSON.parse(data) as Chunk, id);
      }
      this.#end({});
    } catch (error) {
      if (signal.aborted) this.#stop();
      else await this.#fail(error as Error);
    }
  }

  #take(chunk: Chunk, id: number): void {
    if (chunk.error !== undefined) throw new Error(chunk.error.message);
    const grown = grow(this.#answer, chunk);
    const isFirst = this.#answer.firstMs === undefined && (grown.text ?? grown.reasoning ?? grown.toolCalls);
    if (this.#began !== undefined && isFirst) grown.firstMs = performance.now() - this.#began;
    this.put(id === 0 ? grown : { ...grown, lastEvent: id });
  }

  #end(part: Partial<Message>): void {
    const took = this.#began === undefined ? {} : { totalMs: performance.now() - this.#began };
    this.put({ ...part, ...took, running: false });
  }

  /** An answer with numbered events outlives its connection, so stopping it needs a call of its own. */
  #stop(): void {
    const { requestId: id, lastEvent } = this.#answer;
    this.#end({ stopped: true });
    if (id === undefined || lastEvent === undefined) return;
    const address = 'DELETE /api/console/playground/requests/:id/stream';
    // Not found: it had ended already.
    void call<typeof cancelPlaygroundStream>(address, { params: { id } }).catch(() => undefined);
  }

  async #fail(error: Error | StreamRefusal): Promise<void> {
    if (!('status' in error)) return this.#end({ error: error.message });
    const { status, id, message } = error;
    const refused = await refusalOf(new Response(message, { status }));
    this.#end({
      error: refused.message,
      ...(id !== null && this.#answer.requestId === undefined && { requestId: id }),
    });
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
