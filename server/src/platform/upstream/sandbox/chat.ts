/** The chat simulators: `echo` says what it received, `quote` quotes passages. Same request, same answer. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../core/json.ts';
import { type Flaws, flawsOf, spoiled } from './failing.ts';
import { jsonReply, type LocalAnswer } from './local-reply.ts';
import { colourOf } from './picture-colour.ts';
import { quotePassages } from './quote.ts';
import { type ChatAsked, readChat } from './read-chat.ts';
import { schemaInstance } from './schema-instance.ts';

interface Reply {
  /** Pieces are the simulator's tokens: what streams one by one is what is counted. */
  text: string[];
  reasoning: string[];
  calls: { id: string; name: string; arguments: string }[];
  finish: 'stop' | 'length' | 'tool_calls';
}

const PERSIAN = /[\u0600-\u06ff]/;
const MAX_ECHO_CHARACTERS = 4000;

export function simulateChat(body: JsonObject, created: number, sequence: number): LocalAnswer {
  const asked = readChat(body);
  const flaws = flawsOf(asked);
  const reply = say(asked, flaws, sequence);
  const id = `chatcmpl-sandbox-${sequence}`;
  const usage = usageOf(asked, reply, flaws);
  const envelope = { id, created, model: asked.model, system_fingerprint: 'fp_sandbox' };
  return asked.stream ? streamed(asked, reply, envelope, usage, flaws) : whole(asked, reply, envelope, usage, flaws);
}

function say(asked: ChatAsked, flaws: Flaws, sequence: number): Reply {
  const reasoning = asked.reasoning ? pieces(reasoningText(asked)) : [];
  const limit = flaws.fails('stop_reasons') ? undefined : asked.maxTokens;
  const calls = flaws.fails('tools') ? [] : toolCalls(asked, flaws, sequence);
  if (calls.length > 0) return bounded({ text: [], reasoning, calls, finish: 'tool_calls' }, limit);
  const answer = stopped(answerText(asked, flaws), asked.stop);
  const text = asked.begun !== undefined && !flaws.fails('prefill') ? after(answer, asked.begun) : answer;
  return bounded({ text: pieces(text), reasoning, calls, finish: 'stop' }, limit);
}

/** Goes on with a turn that was begun for it, where the plain answer would have contained it. */
function after(answer: string, begun: string): string {
  if (answer.startsWith(begun)) return answer.slice(begun.length);
  const at = begun === '' ? -1 : answer.lastIndexOf(begun);
  return at < 0 ? answer : answer.slice(at + begun.length);
}

/** One, or one of each tool where it may call several. */
function toolCalls(asked: ChatAsked, flaws: Flaws, sequence: number): Reply['calls'] {
  if (!asked.mayCall || (asked.toolResults.length > 0 && asked.forcedTool === undefined)) return [];
  const tool = asked.tools.find(({ name }) => name === asked.forcedTool) ?? asked.tools[0];
  if (!tool) return [];
  const many = asked.parallel && !flaws.fails('parallel_tools');
  return (many ? asked.tools : [tool]).map(({ name, parameters }, at) => ({
    id: at === 0 ? `call_sandbox_${sequence}` : `call_sandbox_${sequence}_${at}`,
    name,
    arguments: spoiled(JSON.stringify(schemaInstance(parameters)), flaws.broken),
  }));
}

/** What is asked about the text before: `The X of Y is Z.` */
const FACT = /\bThe code of the vault is (\d{1,12})\b/;

function answerText(asked: ChatAsked, flaws: Flaws): string {
  const { format } = asked;
  if (format.kind === 'schema' && !flaws.fails('schema'))
    return spoiled(JSON.stringify(schemaInstance(format.schema)), flaws.broken);
  const heard = asked.lastUserText.slice(0, MAX_ECHO_CHARACTERS);
  if (asked.format.kind === 'json') return JSON.stringify({ simulator: true, you_said: heard });
  const persian = PERSIAN.test(heard);
  if (asked.model.includes('quote')) return quotePassages(asked.allText, asked.lastUserText, persian);
  const { images, files, audio } = asked.attachments;
  const lines = [
    persian
      ? `شبیه‌ساز آزمایشی است، نه مدل واقعی. شما گفتید: ${heard}`
      : `This is a simulator, not a model. You said: ${heard}`,
  ];
  for (const result of asked.toolResults) {
    lines.push(persian ? `ابزار پاسخ داد: ${result.slice(0, 500)}` : `The tool answered: ${result.slice(0, 500)}`);
  }
  if (images + files + audio > 0) {
    lines.push(
      persian
        ? `همراه پیام رسید: ${images} تصویر، ${files} فایل، ${audio} صدا.`
        : `Received with it: ${images} image(s), ${files} file(s), ${audio} audio clip(s).`,
    );
  }
  const colour = asked.picture === undefined || flaws.fails('vision') ? undefined : colourOf(asked.picture);
  if (colour !== undefined) lines.push(`The image is ${colour}.`);
  const fact = flaws.fails('long_context') ? undefined : FACT.exec(asked.allText)?.[1];
  if (fact !== undefined) lines.push(`The text says ${fact}.`);
  return lines.join('\n');
}

function reasoningText(asked: ChatAsked): string {
  return `The simulator pretends to think: the message has ${asked.lastUserText.length} characters, so it will be repeated.`;
}

function stopped(text: string, stops: string[]): string {
  const ends = stops.filter((stop) => stop !== '').map((stop) => text.indexOf(stop));
  const end = Math.min(...ends.filter((at) => at >= 0), text.length);
  return text.slice(0, end);
}

function bounded(reply: Reply, maxTokens: number | undefined): Reply {
  if (maxTokens === undefined || tokensOf(reply) <= maxTokens) return reply;
  const reasoning = reply.reasoning.slice(0, maxTokens);
  // A call cut in half is what a real model leaves behind too; the simulator leaves it out.
  return { reasoning, text: reply.text.slice(0, maxTokens - reasoning.length), calls: [], finish: 'length' };
}

function pieces(text: string): string[] {
  return text.match(/\s*\S{1,6}|\s+$/gu) ?? [];
}

function tokensOf(reply: Reply): number {
  const calls = reply.calls.reduce((sum, call) => sum + pieces(call.arguments).length + 1, 0);
  return reply.text.length + reply.reasoning.length + calls;
}

/** Prompts that were sent under a key of their own, for a while. */
const seenPrompts = new Set<string>();
const MAX_SEEN = 64;
const MIN_CACHED = 1_024;

function cachedOf({ cacheKey, allText }: ChatAsked, prompt: number): number {
  if (cacheKey === undefined || prompt < MIN_CACHED) return 0;
  const digest = createHash('sha256').update(cacheKey).update(allText).digest('base64');
  const seen = seenPrompts.delete(digest);
  seenPrompts.add(digest);
  for (const oldest of seenPrompts) {
    if (seenPrompts.size <= MAX_SEEN) break;
    seenPrompts.delete(oldest);
  }
  return seen ? prompt - 1 : 0;
}

function usageOf(asked: ChatAsked, reply: Reply, flaws: Flaws) {
  const prompt = Math.max(1, pieces(asked.allText).length) + 85 * asked.attachments.images;
  const completion = tokensOf(reply) * asked.count;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: flaws.fails('caching') ? 0 : cachedOf(asked, prompt) },
    completion_tokens_details: { reasoning_tokens: reply.reasoning.length * asked.count },
  };
}

const REFUSAL = 'I will not answer this.';

function whole(asked: ChatAsked, reply: Reply, envelope: object, usage: object, flaws: Flaws): LocalAnswer {
  const { calls } = reply;
  const refuses = flaws.broken === 'refusal';
  const message = {
    role: 'assistant',
    content: calls.length > 0 || refuses ? null : reply.text.join(''),
    refusal: refuses ? REFUSAL : null,
    ...(reply.reasoning.length > 0 ? { reasoning_content: reply.reasoning.join('') } : {}),
    ...(calls.length > 0
      ? {
          tool_calls: calls.map(({ id, name, arguments: args }) => ({
            id,
            type: 'function',
            function: { name, arguments: args },
          })),
        }
      : {}),
  };
  const choices = Array.from({ length: asked.count }, (_, index) => ({
    index,
    message,
    logprobs: null,
    finish_reason: reply.finish,
  }));
  return jsonReply(200, { ...envelope, object: 'chat.completion', choices, usage });
}

function streamed(asked: ChatAsked, reply: Reply, envelope: object, usage: object, flaws: Flaws): LocalAnswer {
  const chunks: string[] = [];
  const texts = flaws.fails('stream') ? [reply.text.join('')] : reply.text;
  const send = (choices: object[], more: object = {}) => {
    chunks.push(`data: ${JSON.stringify({ ...envelope, object: 'chat.completion.chunk', choices, ...more })}\n\n`);
  };
  for (let index = 0; index < asked.count; index++) {
    const delta = (value: object, finish: string | null = null) =>
      send([{ index, delta: value, logprobs: null, finish_reason: finish }]);
    delta({ role: 'assistant', content: reply.calls.length > 0 ? null : '' });
    for (const piece of reply.reasoning) delta({ reasoning_content: piece });
    for (const [at, piece] of texts.entries()) {
      if (at === flaws.cutAfter) return { ...EVENTS, chunks, breaks: true };
      delta({ content: piece });
    }
    for (const [at, { id, name, arguments: args }] of reply.calls.entries()) {
      delta({ tool_calls: [{ index: at, id, type: 'function', function: { name, arguments: '' } }] });
      for (const piece of pieces(args)) delta({ tool_calls: [{ index: at, function: { arguments: piece } }] });
    }
    delta({}, reply.finish);
  }
  if (asked.includeUsage && !flaws.fails('usage')) send([], { usage });
  chunks.push('data: [DONE]\n\n');
  return { ...EVENTS, chunks };
}

const EVENTS = { status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' } };
