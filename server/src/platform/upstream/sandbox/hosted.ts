/**
 * The simulator with tools of its own, in the two protocols that have them. It searches as often as it is asked (`search 3 times`),
 * never more often than it may, runs code where it is offered a place for it, and reports what it used as the vendors do.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { jsonReply, type LocalAnswer } from './local-reply.ts';

interface Work {
  text: string;
  heard: number;
  searches: number;
  fetches: number;
  runsCode: boolean;
  tier: string;
}

const SEARCH_TOKENS = 500;
const EVENTS = { status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' } };

function workOf(body: JsonObject, heard: string, bound: (type: string) => number): Work {
  const offered = (Array.isArray(body['tools']) ? body['tools'] : []).filter(isJsonObject);
  const has = (name: string): boolean => offered.some(({ type }) => typeof type === 'string' && type.startsWith(name));
  const asked = Number(/\bsearch (\d{1,2}) times\b/.exec(heard)?.[1] ?? 1);
  const searches = has('web_search') ? Math.min(asked, bound('web_search')) : 0;
  const fetches = has('web_fetch') ? Math.min(1, bound('web_fetch')) : 0;
  const runsCode = has('code_');
  const found = searches > 0 ? ` It searched ${searches} time(s) and found nothing real.` : '';
  return {
    text: `This is a simulator, not a model. You said: ${heard.slice(0, 2_000)}${found}`,
    heard: heard.length,
    searches,
    fetches,
    runsCode,
    tier: typeof body['service_tier'] === 'string' ? body['service_tier'] : 'default',
  };
}

function tokensOf({ text, heard, searches }: Work): { input: number; output: number } {
  return { input: Math.ceil(heard / 4) + 1 + searches * SEARCH_TOKENS, output: Math.ceil(text.length / 4) };
}

export function simulateResponses(body: JsonObject, created: number, sequence: number): LocalAnswer {
  const limit = body['max_tool_calls'];
  const work = workOf(body, lastText(body['input']), () => (typeof limit === 'number' ? limit : Infinity));
  const output: JsonObject[] = [];
  for (let at = 0; at < work.searches; at++)
    output.push({
      type: 'web_search_call',
      id: `ws_sandbox_${sequence}_${at}`,
      status: 'completed',
      action: { type: 'search', query: 'simulated' },
    });
  if (work.runsCode)
    output.push({
      type: 'code_interpreter_call',
      id: `ci_sandbox_${sequence}`,
      status: 'completed',
      container_id: `cntr_sandbox_${sequence}`,
      code: 'print(1)',
      outputs: null,
    });
  const text = { type: 'output_text', text: work.text, annotations: [] };
  output.push({
    type: 'message',
    id: `msg_sandbox_${sequence}`,
    status: 'completed',
    role: 'assistant',
    content: [text],
  });
  const { input, output: said } = tokensOf(work);
  const response: JsonObject = {
    id: `resp_sandbox_${sequence}`,
    object: 'response',
    created_at: created,
    status: 'completed',
    model: body['model'] ?? 'tools',
    output,
    service_tier: work.tier === 'auto' ? 'default' : work.tier,
    tool_usage: { web_search: { num_requests: work.searches } },
    usage: { input_tokens: input, output_tokens: said, total_tokens: input + said },
  };
  return body['stream'] === true ? streamedResponse(response, output) : jsonReply(200, response);
}

function streamedResponse(response: JsonObject, output: readonly JsonObject[]): LocalAnswer {
  const chunks: string[] = [];
  const send = (type: string, more: JsonObject): void => {
    chunks.push(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: chunks.length, ...more })}\n\n`);
  };
  const begun = { ...response, status: 'in_progress', output: [], usage: null, tool_usage: null };
  send('response.created', { response: begun });
  for (const [index, item] of output.entries()) {
    const isMessage = item['type'] === 'message';
    send('response.output_item.added', {
      output_index: index,
      item: { ...item, status: 'in_progress', ...(isMessage && { content: [] }) },
    });
    const [part] = isMessage && Array.isArray(item['content']) ? item['content'] : [];
    if (isJsonObject(part)) {
      const place = { item_id: item['id'], output_index: index, content_index: 0 };
      send('response.content_part.added', { ...place, part: { ...part, text: '' } });
      for (const piece of String(part['text']).match(/.{1,40}/gsu) ?? [])
        send('response.output_text.delta', { ...place, delta: piece, logprobs: [] });
      send('response.output_text.done', { ...place, text: part['text'], logprobs: [] });
      send('response.content_part.done', { ...place, part });
    }
    send('response.output_item.done', { output_index: index, item });
  }
  send('response.completed', { response });
  return { ...EVENTS, chunks };
}

export function simulateMessages(body: JsonObject, sequence: number): LocalAnswer {
  const tools = (Array.isArray(body['tools']) ? body['tools'] : []).filter(isJsonObject);
  const bound = (name: string): number => {
    const most = tools.find(({ type }) => typeof type === 'string' && type.startsWith(name))?.['max_uses'];
    return typeof most === 'number' ? most : Number.POSITIVE_INFINITY;
  };
  const work = workOf(body, lastText(body['messages']), bound);
  const call = (name: string, at: number): JsonObject => ({
    type: 'server_tool_use',
    id: `srvtoolu_sandbox_${sequence}_${at}`,
    name,
    input: {},
  });
  const content: JsonObject[] = [];
  for (let at = 0; at < work.searches; at++) content.push(call('web_search', at));
  for (let at = 0; at < work.fetches; at++) content.push(call('web_fetch', work.searches + at));
  if (work.runsCode) content.push(call('bash_code_execution', 99));
  content.push({ type: 'text', text: work.text });
  const { input, output } = tokensOf(work);
  const usage: JsonObject = {
    input_tokens: input,
    output_tokens: output,
    server_tool_use: { web_search_requests: work.searches, web_fetch_requests: work.fetches },
    service_tier: 'standard',
    ...(body['speed'] === 'fast' && { speed: 'fast' }),
  };
  const message = {
    id: `msg_sandbox_${sequence}`,
    type: 'message',
    role: 'assistant',
    model: body['model'] ?? 'tools',
  };
  const ending = { stop_reason: 'end_turn', stop_sequence: null };
  if (body['stream'] !== true) return jsonReply(200, { ...message, content, ...ending, usage });
  return streamedMessage(
    { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    content,
    {
      type: 'message_delta',
      delta: ending,
      usage,
    },
  );
}

function streamedMessage(message: JsonObject, content: readonly JsonObject[], ending: JsonObject): LocalAnswer {
  const chunks: string[] = [];
  const send = (event: JsonObject): void => {
    chunks.push(`event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  send({ type: 'message_start', message });
  for (const [index, block] of content.entries()) {
    const isText = block['type'] === 'text';
    send({ type: 'content_block_start', index, content_block: isText ? { type: 'text', text: '' } : block });
    for (const text of (isText ? String(block['text']).match(/.{1,40}/gsu) : null) ?? [])
      send({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });
    send({ type: 'content_block_stop', index });
  }
  send(ending);
  send({ type: 'message_stop' });
  return { ...EVENTS, chunks };
}

/** The words of the last message that is not the model's own. */
function lastText(messages: Json | undefined): string {
  if (typeof messages === 'string') return messages;
  const list = (Array.isArray(messages) ? messages : []).filter(isJsonObject);
  const content = list.findLast(({ role }) => role === 'user')?.['content'];
  if (typeof content === 'string') return content;
  return (Array.isArray(content) ? content : [])
    .map((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('\n');
}
