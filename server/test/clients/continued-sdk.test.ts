/**
 * The sandbox is killed after each piece of its answer, and official SDKs get the whole one, byte for byte: `echo?cut=N` breaks off
 * after N pieces, `echo` goes on.
 */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, TEST_KEY, type TestGateway } from '../harness/start-gateway.ts';

const PIECES = 22;
const QUESTION = 'سلام! کتاب‌ها را می‌خوانیم؟ 👨‍👩‍👧 مُهَندِس  one, two';
const model = (id: string, ...upstream: string[]) => ({
  id,
  context: 128_000,
  capabilities: ['streaming', 'prefill'],
  price: { input: 1_000, output: 4_000 },
  routes: upstream.map((name, at) => ({ provider: 'sandbox', model: name, priority: at + 1 })),
});
const CUTS = Array.from({ length: PIECES }, (_, at) => at + 1);

let gateway: TestGateway;
beforeAll(async () => {
  const rules = { continue_answers: true };
  gateway = await startGateway({
    config: {
      settings: { discovery: false },
      sandbox: true,
      models: [model('lab/whole', 'echo'), ...CUTS.map((cut) => model(`lab/cut-${cut}`, `echo?cut=${cut}`, 'echo'))],
      groups: [],
      accounts: [{ id: 'acme', balance: 1_000_000, keys: [{ id: 'main', key: TEST_KEY, rules }] }],
    },
  });
});
afterAll(() => gateway.stop());

const openai = () => new OpenAI({ baseURL: gateway.baseUrl, apiKey: TEST_KEY, maxRetries: 0 });
const anthropic = () => new Anthropic({ baseURL: `${gateway.origin}/api`, apiKey: TEST_KEY, maxRetries: 0 });
const messages = [{ role: 'user' as const, content: QUESTION }];

const SDKS: Record<string, (name: string) => Promise<{ text: string; finish: string | null | undefined }>> = {
  async 'openai, chat completions'(name) {
    const { choices } = await openai().chat.completions.stream({ model: name, messages }).finalChatCompletion();
    return { text: choices[0]?.message.content ?? '', finish: choices[0]?.finish_reason };
  },
  async 'openai, responses'(name) {
    const answer = await openai().responses.stream({ model: name, input: QUESTION }).finalResponse();
    return { text: answer.output_text, finish: answer.status };
  },
  async anthropic(name) {
    const answer = await anthropic().messages.stream({ model: name, max_tokens: 400, messages }).finalMessage();
    return {
      text: answer.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      finish: answer.stop_reason,
    };
  },
};

describe.each(Object.entries(SDKS))('%s', (_name, ask) => {
  it('reads the whole answer, wherever its provider is killed', async () => {
    const whole = await ask('lab/whole');
    expect(whole.text).toContain(QUESTION);
    for (const cut of CUTS) expect(await ask(`lab/cut-${cut}`), `cut after ${cut} pieces`).toEqual(whole);
  });
});
