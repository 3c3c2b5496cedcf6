import { describe, expect, it } from 'vitest';
import { encode, generation, hello, refusal, request, target } from './fixtures.ts';

const weather = { kind: 'function' as const, name: 'weather', description: 'Weather of a city' };
const clock = { kind: 'function' as const, name: 'clock' };
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

describe('tools', () => {
  const fields = (changes: Parameters<typeof request>[1]) => {
    const { tools, toolConfig } = encode(request([hello], changes)).body;
    return { tools, toolConfig };
  };

  it('declares functions, without parameters where there are none', () => {
    const empty = { type: 'object', properties: {}, additionalProperties: false };
    expect(
      fields({
        tools: [
          { ...weather, parameters: city },
          { ...clock, parameters: empty },
        ],
      }).tools,
    ).toEqual([
      {
        functionDeclarations: [
          {
            name: 'weather',
            description: 'Weather of a city',
            parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] },
          },
          { name: 'clock', description: '' },
        ],
      },
    ]);
  });

  it('sends a recursive schema whole in the newer field', () => {
    const tree = {
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
      $ref: '#/$defs/node',
    };
    const tools = fields({ tools: [{ ...clock, parameters: tree }] }).tools;
    expect(tools).toEqual([{ functionDeclarations: [{ name: 'clock', description: '', parametersJsonSchema: tree }] }]);
  });

  it('translates every choice of tools', () => {
    const config = (toolChoice: NonNullable<Parameters<typeof request>[1]>['toolChoice']) =>
      fields({ tools: [weather, clock], ...(toolChoice && { toolChoice }) }).toolConfig;
    expect(config(undefined)).toBeUndefined();
    expect(config({ kind: 'auto' })).toEqual({ functionCallingConfig: { mode: 'AUTO' } });
    expect(config({ kind: 'none' })).toEqual({ functionCallingConfig: { mode: 'NONE' } });
    expect(config({ kind: 'required' })).toEqual({ functionCallingConfig: { mode: 'ANY' } });
    const forced = { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['clock'] } };
    expect(config({ kind: 'tool', name: 'clock' })).toEqual(forced);
    expect(config({ kind: 'allowed', mode: 'required', names: ['clock'] })).toEqual(forced);
  });

  it('offers only the allowed tools when the model may also talk', () => {
    const { tools, toolConfig } = fields({
      tools: [weather, clock],
      toolChoice: { kind: 'allowed', mode: 'auto', names: ['clock'] },
    });
    expect(tools).toEqual([{ functionDeclarations: [{ name: 'clock', description: '' }] }]);
    expect(toolConfig).toEqual({ functionCallingConfig: { mode: 'AUTO' } });
  });

  it('refuses free-text tools, and says what it drops', () => {
    expect(refusal(() => fields({ tools: [{ kind: 'custom', name: 'patch' }] })).options.param).toBe('tools.0');
    const { warnings } = encode(
      request([hello], { tools: [{ ...clock, strict: true }], parallelToolCalls: false, user: 'u1' }),
    );
    expect(warnings.map((warning) => warning.split(' ')[0])).toEqual(['user', 'parallel_tool_calls', 'tools.strict']);
  });
});

describe('generationConfig', () => {
  it('carries sampling, limits and the form of the answer', () => {
    const sampling = {
      temperature: 0.5,
      topP: 0.9,
      topK: 20,
      seed: 7,
      stop: ['END'],
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      count: 2,
      logprobs: true,
      topLogprobs: 3,
    };
    expect(generation({ sampling }, target('gemini-2.5-flash', { maxOutputTokens: 100 }))).toEqual({
      temperature: 0.5,
      topP: 0.9,
      topK: 20,
      seed: 7,
      stopSequences: ['END'],
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      candidateCount: 2,
      responseLogprobs: true,
      logprobs: 3,
      maxOutputTokens: 100,
    });
    expect(generation({ sampling: { count: 1, stop: [], logprobs: false } })).toBeUndefined();
  });

  it('asks for JSON, by plain schema or by the subset for models from before it', () => {
    expect(generation({ output: { kind: 'json' } })).toEqual({ responseMimeType: 'application/json' });
    const output = { kind: 'json-schema' as const, name: 'x', schema: { ...city, additionalProperties: false } };
    expect(generation({ output })).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: output.schema,
    });
    expect(generation({ output }, target('gemini-2.0-flash'))).toEqual({
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] },
    });
  });

  it('drops what the target refuses, with a warning each', () => {
    const to = target('gemini-2.5-flash', { quirks: { rejectsSampling: true, dropFields: ['seed'] } });
    const given = request([hello], { sampling: { temperature: 1, seed: 3, topP: 1, logitBias: { 5: 1 } } });
    const { body, warnings } = encode(given, to);
    expect(body['generationConfig']).toBeUndefined();
    expect(warnings.map((warning) => warning.split(' ')[0])).toEqual(['temperature', 'top_p', 'seed', 'logit_bias']);
  });
});

describe('foreign fields', () => {
  it('keeps its own, names the others', () => {
    const { body, warnings } = encode(
      request([hello], {
        extras: { 'gemini-generate': { safetySettings: [] }, 'openai-chat': { service_tier: 'flex' } },
      }),
    );
    expect(body['safetySettings']).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('service_tier');
  });
});
