/**
 * Headless coding agents complete a tool loop through the gateway, with vendors of every protocol. Nothing of theirs is
 * known here but what their users set: an address, a key and a model. @tier gateway */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseTrustedJson } from '../../src/core/json.ts';
import { answer, type RecordedRequest } from '../fake-vendor/index.ts';
import { startGateway, TEST_KEY, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { install, openWorkplace, runAgent, type Workplace } from './installed-agent.ts';
import { seenByVendor } from './seen-by-vendor.ts';

const claudeCode = await install({ name: '@anthropic-ai/claude-code', version: '2.1.325', script: 'cli-wrapper.cjs' });
const codex = await install({ name: '@openai/codex', version: '0.166.0', script: 'bin/codex.js' });

const MODELS = ['mock/claude', 'mock/responses', 'mock/chat', 'mock/gemini'];
const QUESTION = 'Which word stands in note.txt?';
const NOTE = 'The word is pistachio.';
const FINAL = 'In the note stands: پسته 🌰';
/** 15 for the input and 6 for the output, at the prices of the default configuration. */
const USAGE = { input: 1_000, output: 100 };
const COST = 21;
const POOR_KEY = 'dg-test-poor';
const AT_MOST_MS = 240_000;

let gateway: TestGateway;
let place: Workplace;
let note: string;
let balance: number;
beforeAll(async () => {
  const accounts = [
    { id: 'acme', balance: 100_000, keys: [{ id: 'main', key: TEST_KEY }] },
    { id: 'poor', balance: 0, keys: [{ id: 'poor', key: POOR_KEY }] },
  ];
  gateway = await startGateway({ config: { accounts } });
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  gateway.vendor.reset();
  place = await openWorkplace();
  note = join(place.folder, 'note.txt');
  await writeFile(note, NOTE);
  // What the test before owes is paid first.
  balance = await eventually(async () => {
    const now = await wallet();
    expect(now.held).toBe(0);
    return now.balance;
  });
});
afterEach(() => place.remove());

async function wallet(): Promise<{ balance: number; held: number }> {
  const response = await gateway.fetch('/api/v1/key');
  const told = (await response.json()) as { wallet: { balance: string; held: string } };
  return { balance: Number(told.wallet.balance), held: Number(told.wallet.held) };
}

/** Thinks, has the note read, and answers when it has been; requests without that tool (a title, say) get a text. */
function scriptVendor(tool: string, input: object): void {
  const toolCalls = [{ id: 'call_note', name: tool, arguments: JSON.stringify(input) }];
  gateway.vendor.choose((request) => {
    const { tools, results } = seenByVendor(request);
    if (results.length > 0) return answer({ text: FINAL, usage: USAGE });
    if (!tools.includes(tool)) return answer({ text: 'Something else.', usage: USAGE });
    return answer({ reasoning: 'I must read it.', toolCalls, usage: USAGE });
  });
}

async function expectLoop(model: string, tool: string, input: object): Promise<void> {
  const { requests } = gateway.vendor;
  const second = requests.find((request) => seenByVendor(request).results.length > 0);
  const { calls, results } = seenByVendor(second as RecordedRequest);
  expect(calls).toMatchObject([{ name: tool, arguments: input }]);
  expect(results).toHaveLength(1);
  expect(results[0]?.text).toContain(NOTE);
  expect(results[0]?.callId).toBe(calls[0]?.id);
  // What these vendors sign they want back; without it they refuse the turn.
  if (model === 'mock/claude') {
    const signature = /"signature":"(.*?)"/.exec(second?.raw.toString() ?? '')?.[1];
    expect(signature).toMatch(/^sig-fake-\d+$/);
  }
  if (model === 'mock/gemini') expect(calls[0]?.signature).toBe(Buffer.from('sig-call_note').toString('base64'));
  await eventually(async () => expect(await wallet()).toEqual({ balance: balance - requests.length * COST, held: 0 }));
}

function askClaudeCode(model: string, key: string) {
  return runAgent(claudeCode, ['-p', QUESTION, '--output-format', 'json'], place, {
    ANTHROPIC_BASE_URL: `${gateway.origin}/api`,
    ANTHROPIC_AUTH_TOKEN: key,
    ANTHROPIC_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  });
}

async function askCodex(model: string, provider: string[]) {
  const lines = [`model = "${model}"`, 'check_for_update_on_startup = false', ...provider];
  await mkdir(join(place.home, '.codex'));
  await writeFile(join(place.home, '.codex', 'config.toml'), lines.join('\n'));
  // Its sandbox needs what containers do not grant; it gets no command but ours.
  const options = ['--skip-git-repo-check', '--sandbox', 'danger-full-access'];
  // The second name is what its own provider looks for.
  const keys = { DARGAH_API_KEY: gateway.key, CODEX_API_KEY: gateway.key };
  const outcome = await runAgent(codex, ['exec', ...options, QUESTION], place, keys);
  expect(outcome, JSON.stringify(outcome)).toMatchObject({ code: 0 });
  expect(outcome.stdout.trim()).toBe(FINAL);
  return outcome;
}

const asProvider = () => [
  'model_provider = "dargah"',
  '[model_providers.dargah]',
  'name = "Dargah"',
  `base_url = "${gateway.baseUrl}"`,
  'env_key = "DARGAH_API_KEY"',
  'wire_api = "responses"',
];

describe.skipIf(claudeCode.missing)('Claude Code', { timeout: AT_MOST_MS }, () => {
  it.each(MODELS)('completes a tool loop on %s', async (model) => {
    const input = { file_path: note };
    scriptVendor('Read', input);
    const outcome = await askClaudeCode(model, gateway.key);
    expect(outcome, JSON.stringify(outcome)).toMatchObject({ code: 0 });
    const said = { is_error: false, result: FINAL, num_turns: 2, permission_denials: [] };
    expect(parseTrustedJson(outcome.stdout)).toMatchObject(said);
    await expectLoop(model, 'Read', input);
  });

  it('shows our sentence when the wallet is empty', async () => {
    const { code, stdout } = await askClaudeCode('mock/claude', POOR_KEY);
    expect(code).toBe(1);
    expect(parseTrustedJson(stdout)).toMatchObject({
      is_error: true,
      api_error_status: 402,
      api_error_code: 'insufficient_balance',
      result: expect.stringContaining('موجودی کیف پول'),
    });
    expect(gateway.vendor.requests).toEqual([]);
  });
});

describe.skipIf(codex.missing)('Codex', { timeout: AT_MOST_MS }, () => {
  const input = { cmd: 'cat note.txt' };

  it.each(MODELS)('completes a tool loop on %s', async (model) => {
    scriptVendor('exec_command', input);
    await askCodex(model, asProvider());
    await expectLoop(model, 'exec_command', input);
  });

  it('speaks over its WebSocket when only its address was changed', async () => {
    scriptVendor('exec_command', input);
    const { stderr } = await askCodex('mock/chat', [`openai_base_url = "${gateway.baseUrl}"`]);
    expect(stderr).toContain('provider: openai');
    expect(stderr).not.toContain('failed to connect');
    expect(stderr).not.toContain('Reconnecting');
    await expectLoop('mock/chat', 'exec_command', input);
  });

  it('gets calls of its grouped tools from vendors that know no groups', async () => {
    scriptVendor('multi_agent_v1__close_agent', { target: 'nobody' });
    await askCodex('mock/claude', asProvider());
    const { results } = seenByVendor(await gateway.vendor.received(1));
    // Its own tool answered, not its "unsupported call".
    expect(results).toMatchObject([{ text: expect.stringContaining('invalid agent id nobody') }]);
  });
});
