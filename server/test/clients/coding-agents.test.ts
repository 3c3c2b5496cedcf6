/**
 * Headless coding agents complete a tool loop through the gateway, with vendors of every language. Nothing of theirs is
 * known here but what their users set: an address, a key and a model.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseTrustedJson } from '../../src/core/json.ts';
import { answer, type RecordedRequest } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
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
const AT_MOST_MS = 90_000;

let gateway: TestGateway;
let place: Workplace;
let note: string;
let balance: number;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  gateway.vendor.reset();
  place = await openWorkplace();
  note = join(place.folder, 'note.txt');
  await writeFile(note, NOTE);
  balance = (await wallet()).balance;
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
  if (model === 'mock/claude') expect(second?.raw.toString()).toMatch(/"signature":"sig-fake-\d+"/);
  if (model === 'mock/gemini') expect(calls[0]?.signature).toBe(Buffer.from('sig-call_note').toString('base64'));
  await eventually(async () => expect(await wallet()).toEqual({ balance: balance - requests.length * COST, held: 0 }));
}

describe.skipIf(claudeCode.missing)('Claude Code', () => {
  it.each(MODELS)(
    'completes a tool loop on %s',
    async (model) => {
      const input = { file_path: note };
      scriptVendor('Read', input);
      const outcome = await runAgent(claudeCode, ['-p', QUESTION, '--output-format', 'json'], place, {
        ANTHROPIC_BASE_URL: `${gateway.origin}/api`,
        ANTHROPIC_AUTH_TOKEN: gateway.key,
        ANTHROPIC_MODEL: model,
        ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      });
      expect(outcome, JSON.stringify(outcome)).toMatchObject({ code: 0 });
      const said = { is_error: false, result: FINAL, num_turns: 2, permission_denials: [] };
      expect(parseTrustedJson(outcome.stdout)).toMatchObject(said);
      await expectLoop(model, 'Read', input);
    },
    AT_MOST_MS,
  );
});

describe.skipIf(codex.missing)('Codex', () => {
  it.each(MODELS)(
    'completes a tool loop on %s',
    async (model) => {
      const input = { cmd: 'cat note.txt' };
      scriptVendor('exec_command', input);
      await writeCodexConfig(model);
      // Its sandbox needs what containers do not grant; the only command it gets is the one above.
      const options = ['--skip-git-repo-check', '--sandbox', 'danger-full-access'];
      const outcome = await runAgent(codex, ['exec', ...options, QUESTION], place, { DARGAH_API_KEY: gateway.key });
      expect(outcome, JSON.stringify(outcome)).toMatchObject({ code: 0 });
      expect(outcome.stdout.trim()).toBe(FINAL);
      await expectLoop(model, 'exec_command', input);
    },
    AT_MOST_MS,
  );
});

async function writeCodexConfig(model: string): Promise<void> {
  const lines = [
    `model = "${model}"`,
    'model_provider = "dargah"',
    'check_for_update_on_startup = false',
    '[model_providers.dargah]',
    'name = "Dargah"',
    `base_url = "${gateway.baseUrl}"`,
    'env_key = "DARGAH_API_KEY"',
    'wire_api = "responses"',
  ];
  await mkdir(join(place.home, '.codex'));
  await writeFile(join(place.home, '.codex', 'config.toml'), lines.join('\n'));
}
