/** What a picker finds, among as many models as a large installation has. */
import { describe, expect, it } from 'vitest';
import {
  type ModelSource,
  nearestWord,
  type PickedModel,
  type PickQuestion,
  permittedBy,
  pickRows,
} from '../../src/parts/model-search.ts';

const model = (id: string, more: Partial<PickedModel> = {}): PickedModel => ({
  id,
  name: id.split('/')[1] ?? id,
  name_fa: null,
  vendor: id.split('/')[0] ?? '',
  kind: 'chat',
  context: 128_000,
  capabilities: ['tools'],
  input: '1000',
  output: '4000',
  per: 'million_tokens',
  withdrawn_from: null,
  simulated: false,
  popular: false,
  ...more,
});

const source: ModelSource = {
  data: [
    model('anthropic/claude-haiku-4.5', { name: 'Claude Haiku 4.5', capabilities: ['tools', 'vision'] }),
    model('anthropic/claude-sonnet-4.5', { name: 'Claude Sonnet 4.5', capabilities: ['tools', 'vision', 'reasoning'] }),
    model('openai/gpt-5-mini', { name: 'GPT-5 mini' }),
  ],
  groups: [{ id: 'economical', name: 'Economical', name_fa: 'مقرون‌به‌صرفه', models: ['openai/gpt-5-mini'] }],
  vendors: { anthropic: { fa: 'آنتروپیک', en: 'Anthropic' }, openai: { fa: 'اوپن‌ای‌آی', en: 'OpenAI' } },
};

const values = (question: Partial<PickQuestion>) =>
  pickRows(source, { typed: '', capabilities: [], withRefused: false, recent: [], withGroups: false, ...question })
    .filter((row) => row.row !== 'head')
    .map((row) => (row.row === 'model' && row.isRefused ? `${row.value} refused` : row.value));

describe('a picker of models', () => {
  it('finds by name, id and maker, in Latin and Persian letters and digits, whatever the order of words', () => {
    expect(values({ typed: 'haiku' })).toEqual(['anthropic/claude-haiku-4.5']);
    expect(values({ typed: '۴.۵ sonnet' })).toEqual(['anthropic/claude-sonnet-4.5']);
    expect(values({ typed: 'آنتروپيك' })).toHaveLength(2);
    expect(values({ typed: 'openai/' })).toEqual(['openai/gpt-5-mini']);
    expect(values({ typed: 'clod' })).toEqual([]);
    expect(nearestWord(source, 'clod')).toBe('claude');
  });

  it('shows what was used last first, and again where it belongs, until something is looked for', () => {
    expect(values({ recent: ['openai/gpt-5-mini', 'gone/model'] })[0]).toBe('openai/gpt-5-mini');
    expect(values({ recent: ['openai/gpt-5-mini'] }).filter((id) => id === 'openai/gpt-5-mini')).toHaveLength(2);
    expect(values({ recent: ['openai/gpt-5-mini'], typed: 'gpt' })).toEqual(['openai/gpt-5-mini']);
  });

  it('narrows by every capability that is asked for, and offers groups only where rules take them', () => {
    expect(values({ capabilities: ['vision', 'reasoning'] })).toEqual(['anthropic/claude-sonnet-4.5']);
    expect(values({ withGroups: true, typed: 'econ' })).toEqual(['group:economical']);
    expect(values({ typed: 'econ' })).toEqual([]);
  });

  it('hides what a key may not use until it is looked for, and then says so', () => {
    const permits = permittedBy(['group:economical'], source);
    expect(values({ permits })).toEqual(['openai/gpt-5-mini']);
    expect(values({ permits, typed: 'haiku' })).toEqual(['anthropic/claude-haiku-4.5 refused']);
    expect(permittedBy(null, source)).toBeUndefined();
  });
});
