/** The chat simulators: `echo` says what it received, `quote` quotes passages. Same request, same answer. */

import type { JsonObject } from '../../../core/json.ts';
import { jsonReply, type LocalAnswer } from './local-reply.ts';
import { quotePassages } from './quote.ts';
import { type ChatAsked, readChat } from './read-chat.ts';
import { schemaInstance } from './schema-instance.ts';

interface Said {
  /** Pieces are the simulator's tokens: what streams one by one is what is counted. */
  text: string[];
  reasoning: string[];
  call: { id: string; name: string; arguments: string } | undefined;
  finish: 'stop' | 'length' | 'tool_calls';
}

const PERSIAN = /[\u0600-\u06ff]/;
const MAX_ECHO_CHARACTERS = 4000;

export function simulateChat(body: JsonObject, created: number, sequence: number): LocalAnswer {
  const asked = readChat(body);
  const said = say(asked, sequence);
  const id = `chatcmpl-sandbox-${sequence}`;
  const usage = usageOf(asked, said);
  const envelope = { id, created, model: asked.model, system_fingerprint: 'fp_sandbox' };
  return asked.stream ? streamed(asked, said, envelope, usage) : whole(asked, said, envelope, usage);
}

function say(asked: ChatAsked, sequence: number): Said {
  const reasoning = asked.reasoning ? pieces(reasoningText(asked)) : [];
  const call = toolCall(asked, sequence);
  if (call) return bounded({ text: [], reasoning, call, finish: 'tool_calls' }, asked.maxTokens);
  return bounded(
    { text: pieces(stopped(answerText(asked), asked.stop)), reasoning, call, finish: 'stop' },
    asked.maxTokens,
  );
}

function toolCall(asked: ChatAsked, sequence: number): Said['call'] {
  if (!asked.mayCall || (asked.toolResults.length > 0 && asked.forcedTool === undefined)) return undefined;
  const tool = asked.tools.find(({ name }) => name === asked.forcedTool) ?? asked.tools[0];
  if (!tool) return undefined;
  return {
    id: `call_sandbox_${sequence}`,
    name: tool.name,
    arguments: JSON.stringify(schemaInstance(tool.parameters)),
  };
}

function answerText(asked: ChatAsked): string {
  if (asked.format.kind === 'schema') return JSON.stringify(schemaInstance(asked.format.schema));
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

function bounded(said: Said, maxTokens: number | undefined): Said {
  if (maxTokens === undefined || tokensOf(said) <= maxTokens) return said;
  const reasoning = said.reasoning.slice(0, maxTokens);
  // A call cut in half is what a real model leaves behind too; the simulator leaves it out.
  return { reasoning, text: said.text.slice(0, maxTokens - reasoning.length), call: undefined, finish: 'length' };
}

function pieces(text: string): string[] {
  return text.match(/\s*\S{1,6}|\s+$/gu) ?? [];
}

function tokensOf(said: Said): number {
  return said.text.length + said.reasoning.length + (said.call ? pieces(said.call.arguments).length + 1 : 0);
}

function usageOf(asked: ChatAsked, said: Said) {
  const prompt = Math.max(1, pieces(asked.allText).length) + 85 * asked.attachments.images;
  const completion = tokensOf(said) * asked.count;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: said.reasoning.length * asked.count },
  };
}

function whole(asked: ChatAsked, said: Said, envelope: object, usage: object): LocalAnswer {
  const { call } = said;
  const message = {
    role: 'assistant',
    content: call ? null : said.text.join(''),
    refusal: null,
    ...(said.reasoning.length > 0 ? { reasoning_content: said.reasoning.join('') } : {}),
    ...(call
      ? { tool_calls: [{ id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } }] }
      : {}),
  };
  const choices = Array.from({ length: asked.count }, (_, index) => ({
    index,
    message,
    logprobs: null,
    finish_reason: said.finish,
  }));
  return jsonReply(200, { ...envelope, object: 'chat.completion', choices, usage });
}

function streamed(asked: ChatAsked, said: Said, envelope: object, usage: object): LocalAnswer {
  const chunks: string[] = [];
  const send = (choices: object[], more: object = {}) => {
    chunks.push(`data: ${JSON.stringify({ ...envelope, object: 'chat.completion.chunk', choices, ...more })}\n\n`);
  };
  for (let index = 0; index < asked.count; index++) {
    const delta = (value: object, finish: string | null = null) =>
      send([{ index, delta: value, logprobs: null, finish_reason: finish }]);
    delta({ role: 'assistant', content: said.call ? null : '' });
    for (const piece of said.reasoning) delta({ reasoning_content: piece });
    for (const piece of said.text) delta({ content: piece });
    if (said.call) {
      const { id, name, arguments: args } = said.call;
      delta({ tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: '' } }] });
      for (const piece of pieces(args)) delta({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
    }
    delta({}, said.finish);
  }
  if (asked.includeUsage) send([], { usage });
  chunks.push('data: [DONE]\n\n');
  return { status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' }, chunks };
}
