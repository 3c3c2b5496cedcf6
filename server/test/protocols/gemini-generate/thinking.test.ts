import { describe, expect, it } from 'vitest';
import type { ReasoningRequest } from '../../../src/core/chat.ts';
import { encode, generation, hello, request, target } from './fixtures.ts';

function thinking(model: string, reasoning: ReasoningRequest): unknown {
  return generation({ reasoning }, target(model))?.['thinkingConfig'];
}

describe('thinking by budget (2.5)', () => {
  it.each([
    ['gemini-2.5-flash', 'low', 1024],
    ['gemini-2.5-flash', 'medium', 8192],
    ['gemini-2.5-flash', 'high', 24_576],
    ['gemini-2.5-flash', 'max', 24_576],
    ['gemini-2.5-pro', 'max', 32_768],
    ['gemini-flash-latest', 'low', 1024],
  ] as const)('%s with effort %s thinks up to %d tokens', (model, effort, thinkingBudget) => {
    expect(thinking(model, { effort })).toEqual({ includeThoughts: true, thinkingBudget });
  });

  it('stops thinking where that is possible, and thinks least where not', () => {
    expect(thinking('gemini-2.5-flash', { effort: 'none' })).toEqual({ thinkingBudget: 0 });
    expect(thinking('gemini-2.5-flash-lite', { mode: 'disabled' })).toEqual({ thinkingBudget: 0 });
    expect(thinking('gemini-2.5-pro', { effort: 'none' })).toEqual({ thinkingBudget: 128 });
  });

  it('keeps a given budget within what the model takes', () => {
    expect(thinking('gemini-2.5-flash', { budgetTokens: 5000 })).toMatchObject({ thinkingBudget: 5000 });
    expect(thinking('gemini-2.5-flash', { budgetTokens: 64_000 })).toMatchObject({ thinkingBudget: 24_576 });
    expect(thinking('gemini-2.5-flash-lite', { budgetTokens: 10 })).toMatchObject({ thinkingBudget: 512 });
    expect(thinking('gemini-2.5-flash', { mode: 'adaptive' })).toMatchObject({ thinkingBudget: -1 });
  });

  it('hides the thoughts of a client that does not want them', () => {
    expect(thinking('gemini-2.5-flash', { effort: 'low', summary: 'omitted' })).toEqual({ thinkingBudget: 1024 });
  });
});

describe('thinking by level (3 and later)', () => {
  it.each([
    ['gemini-3-flash-preview', 'minimal', 'minimal'],
    ['gemini-3-flash-preview', 'medium', 'medium'],
    ['gemini-3-pro-preview', 'minimal', 'low'],
    ['gemini-3-pro-preview', 'medium', 'high'],
    ['gemini-3.1-pro-preview', 'medium', 'medium'],
    ['gemini-3.1-pro-preview', 'xhigh', 'high'],
  ] as const)('%s with effort %s thinks at level %s', (model, effort, thinkingLevel) => {
    expect(thinking(model, { effort })).toEqual({ includeThoughts: true, thinkingLevel });
  });

  it('reads a budget as a level and leaves an adaptive model alone', () => {
    expect(thinking('gemini-3-flash', { budgetTokens: 1024 })).toMatchObject({ thinkingLevel: 'low' });
    expect(thinking('gemini-3-flash', { budgetTokens: 30_000 })).toMatchObject({ thinkingLevel: 'high' });
    expect(thinking('gemini-3-flash', { mode: 'adaptive' })).toEqual({ includeThoughts: true });
    expect(thinking('gemini-3-flash', { effort: 'none' })).toEqual({ thinkingLevel: 'minimal' });
  });
});

describe('models that do not think', () => {
  it('drops the wish with a warning, and is silent when none was wanted', () => {
    const wish = (reasoning: ReasoningRequest) => encode(request([hello], { reasoning }), target('gemini-2.0-flash'));
    expect(wish({ effort: 'high' }).body['generationConfig']).toBeUndefined();
    expect(wish({ effort: 'high' }).warnings.join()).toContain('reasoning');
    expect(wish({ effort: 'none' }).warnings).toEqual([]);
  });
});
