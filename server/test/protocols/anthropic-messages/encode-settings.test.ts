import { describe, expect, it } from 'vitest';
import type { ChatRequest, Part } from '../../../src/core/chat.ts';
import { anthropicMessagesUpstream } from '../../../src/protocols/index.ts';
import { protocolReasons } from '../../../src/protocols/reasons.ts';
import { refusalOf } from '../refusal-of.ts';
import { answered, called, chat, said, target } from './surroundings.ts';

const encode = (request: Partial<ChatRequest>, more = {}) =>
  anthropicMessagesUpstream.encodeRequest(chat(request), target(more));
const tool = { kind: 'function' as const, name: 'f', parameters: { type: 'object', properties: {} } };

describe('settings', () => {
  it('always sends a limit', () => {
    const limit = (request: Partial<ChatRequest>, more = {}) => encode(request, more).body['max_tokens'];
    expect(limit({ maxOutputTokens: 50 }, { maxOutputTokens: 20 })).toBe(20);
    expect(limit({ maxOutputTokens: 50 })).toBe(50);
    expect(limit({})).toBe(64_000);
    expect(limit({}, { modelMaxOutput: undefined })).toBe(4096);
    const clamped = encode({ maxOutputTokens: 99_999 });
    expect([clamped.body['max_tokens'], clamped.warnings]).toEqual([
      64_000,
      ['max_tokens lowered to 64000: the most the model can write'],
    ]);
  });

  it('names every sampling field it has to drop', () => {
    const { body, warnings } = encode({
      sampling: {
        seed: 1,
        presencePenalty: 0.5,
        frequencyPenalty: 0.5,
        logitBias: {},
        logprobs: true,
        topLogprobs: 2,
        temperature: 1.7,
        topP: 0.5,
        topK: 5,
        stop: ['END', '\n'],
      },
    });
    expect(body).toMatchObject({ temperature: 1, top_k: 5, stop_sequences: ['END'] });
    expect(body['top_p']).toBeUndefined();
    expect(warnings.map((warning) => warning.split(/ dropped| lowered/)[0])).toEqual([
      'seed',
      'presence_penalty',
      'frequency_penalty',
      'logit_bias',
      'logprobs',
      'top_logprobs',
      'stop',
      'temperature',
      'top_p',
    ]);
  });

  // wire 1.2: models that answer 400 to any sampling.
  it('drops all sampling for models that reject it', () => {
    const { body, warnings } = encode(
      { sampling: { temperature: 0.7, topP: 0.9, topK: 4 } },
      { quirks: { rejectsSampling: true } },
    );
    for (const field of ['temperature', 'top_p', 'top_k']) expect(body[field]).toBeUndefined();
    expect(warnings).toHaveLength(3);
  });

  it('refuses several answers', () => {
    expect(refusalOf(() => encode({ sampling: { count: 2 } }))).toEqual({ code: 'invalid_request', param: 'n' });
    expect(() => encode({ sampling: { count: 3 } })).toThrow(
      expect.objectContaining({ options: { param: 'n', reason: protocolReasons.oneAnswerOnly(3) } }),
    );
    expect(protocolReasons.oneAnswerOnly(3).en).toContain('send the request 3 times');
  });

  it('asks for JSON in words, and for a schema in output_config', () => {
    const words = encode({ messages: [said('system', 'be'), said('user', 'q')], output: { kind: 'json' } });
    expect(words.body['system']).toHaveLength(2);
    expect(JSON.stringify(words.body['system'])).toContain('JSON');
    expect(words.body['messages']).toHaveLength(1);
    const schema = { kind: 'json-schema' as const, name: 'x', schema: { type: 'object' } };
    expect(encode({ output: schema }).body['output_config']).toEqual({
      format: { type: 'json_schema', schema: { type: 'object' } },
    });
    expect(refusalOf(() => encode({ output: schema }, { capabilities: new Set() })).param).toBe('response_format');
  });

  it('keeps personal data out of metadata', () => {
    expect(encode({ user: 'u-1' }).body['metadata']).toEqual({ user_id: 'u-1' });
    const mail = encode({ user: 'someone@example.com' });
    expect([mail.body['metadata'], mail.warnings.length]).toEqual([undefined, 1]);
  });

  it('drops what a quirk names, and warns about fields of other protocols', () => {
    const { body, warnings } = encode(
      { extras: { 'openai-chat': { store: true } }, user: 'u' },
      { quirks: { dropFields: ['metadata', 'absent'] } },
    );
    expect(body['metadata']).toBeUndefined();
    expect(warnings).toEqual([
      "store dropped: the provider's API has no such field",
      'metadata dropped: the provider does not accept it',
    ]);
  });
});

describe('tools', () => {
  it('encodes them with an object schema, and every choice', () => {
    const bare = encode({ tools: [{ kind: 'function', name: 'f' }] });
    expect(bare.body['tools']).toEqual([{ name: 'f', input_schema: { type: 'object', properties: {} } }]);
    const choice = (request: Partial<ChatRequest>) => encode({ tools: [tool], ...request }).body['tool_choice'];
    expect(choice({})).toBeUndefined();
    expect(choice({ parallelToolCalls: false })).toEqual({ type: 'auto', disable_parallel_tool_use: true });
    expect(choice({ toolChoice: { kind: 'required' }, parallelToolCalls: false })).toEqual({
      type: 'any',
      disable_parallel_tool_use: true,
    });
    expect(choice({ toolChoice: { kind: 'none' } })).toEqual({ type: 'none' });
    expect(choice({ toolChoice: { kind: 'tool', name: 'f' } })).toEqual({ type: 'tool', name: 'f' });
  });

  it('narrows the list to the allowed tools', () => {
    const { body } = encode({
      tools: [tool, { ...tool, name: 'g' }],
      toolChoice: { kind: 'allowed', mode: 'required', names: ['g'] },
    });
    expect(body['tools']).toMatchObject([{ name: 'g' }]);
    expect(body['tool_choice']).toEqual({ type: 'any' });
  });

  it('sends strict only where schemas are enforced', () => {
    expect(encode({ tools: [{ ...tool, strict: true }] }).body['tools']).toMatchObject([{ strict: true }]);
    const without = encode({ tools: [{ ...tool, strict: true }] }, { capabilities: new Set() });
    expect(without.body['tools']).toEqual([{ name: 'f', input_schema: { type: 'object', properties: {} } }]);
    expect(without.warnings).toEqual(['strict dropped: the model does not enforce tool schemas']);
  });

  // What cannot be carried is an error, never a silent drop.
  it('refuses free-text tools and the hosted tools of another protocol by their place', () => {
    expect(refusalOf(() => encode({ tools: [tool, { kind: 'custom', name: 'p' }] })).param).toBe('tools.1');
    const hosted = [{ index: 3, tool: { type: 'file_search' } }];
    expect(refusalOf(() => encode({ extras: { 'openai-responses': { hosted_tools: hosted } } })).param).toBe('tools.3');
  });
});

describe('thinking', () => {
  const wish = (request: Partial<ChatRequest>, more = {}) => {
    const { body, warnings } = encode({ maxOutputTokens: 10_000, ...request }, more);
    return { thinking: body['thinking'], config: body['output_config'], body, warnings };
  };

  it('turns effort into a budget below the limit', () => {
    expect(wish({ reasoning: { effort: 'high' } }).thinking).toEqual({ type: 'enabled', budget_tokens: 8000 });
    expect(wish({ reasoning: { effort: 'low' }, maxOutputTokens: 2000 }).thinking).toEqual({
      type: 'enabled',
      budget_tokens: 1024,
    });
    expect(wish({ reasoning: { budgetTokens: 50_000 } }).thinking).toEqual({ type: 'enabled', budget_tokens: 8000 });
  });

  it('turns effort into adaptive thinking where the model wants that', () => {
    const adaptive = { quirks: { adaptiveThinking: true } };
    expect(wish({ reasoning: { effort: 'minimal', summary: 'auto' } }, adaptive)).toMatchObject({
      thinking: { type: 'adaptive', display: 'summarized' },
      config: { effort: 'low' },
    });
    expect(wish({ reasoning: { budgetTokens: 9000 } }, adaptive)).toMatchObject({
      thinking: { type: 'adaptive' },
      config: { effort: 'high' },
    });
  });

  it('switches it off when asked to', () => {
    expect(wish({ reasoning: { effort: 'none' } }).thinking).toEqual({ type: 'disabled' });
    expect(wish({ reasoning: { mode: 'disabled' } }).thinking).toEqual({ type: 'disabled' });
  });

  it('gives way to a forced tool, to a small limit, to a model that cannot, and to a loop without thinking', () => {
    const loop = [said('user', 'q'), called('a'), answered('a'), called('b'), answered('b')];
    const cases: [Partial<ChatRequest>, object, string][] = [
      [{ tools: [tool], toolChoice: { kind: 'required' } }, {}, 'forced'],
      [{ maxOutputTokens: 1000 }, {}, 'no room'],
      [{}, { capabilities: new Set() }, 'does not reason'],
      [{ messages: loop }, {}, 'without thinking blocks'],
    ];
    for (const [request, more, reason] of cases) {
      const { thinking, warnings } = wish({ reasoning: { effort: 'medium' }, ...request }, more);
      expect(thinking).toBeUndefined();
      expect(warnings.join()).toContain(reason);
    }
  });

  it('stays with a forced tool where it is adaptive', () => {
    const forced = { tools: [tool], toolChoice: { kind: 'required' as const }, reasoning: { effort: 'low' as const } };
    expect(wish(forced, { quirks: { adaptiveThinking: true } }).thinking).toEqual({ type: 'adaptive' });
  });

  it('goes on thinking in a loop that began with thinking', () => {
    const thought: Part = { kind: 'reasoning', text: 't', signature: 's', origin: 'anthropic-messages' };
    const first = { ...called('a'), parts: [thought, ...called('a').parts] };
    const messages = [said('user', 'q'), first, answered('a'), called('b'), answered('b')];
    expect(wish({ reasoning: { effort: 'medium' }, messages }).thinking).toBeDefined();
  });

  it('excludes temperature', () => {
    const { body, warnings } = wish({
      reasoning: { effort: 'low' },
      sampling: { temperature: 0.2, topP: 0.99, topK: 3 },
    });
    expect([body['temperature'], body['top_p'], body['top_k']]).toEqual([undefined, 0.99, undefined]);
    expect(warnings).toEqual([
      'temperature dropped: not compatible with thinking',
      'top_k dropped: not compatible with thinking',
    ]);
  });
});
