/**
 * The groups that every installation has: one per category, whose default is the first available model of a preference
 * list.
 */
import type { Text } from '@dargah/core/text.ts';
import { CATEGORIES } from '../model.ts';
import type { DeclaredGroup, DeclaredModel } from './declared.ts';

type Category = (typeof CATEGORIES)[number];

const CATEGORY_NAMES: Record<Category, Text> = {
  popular: { fa: 'محبوب', en: 'Popular' },
  coding: { fa: 'برنامه‌نویسی', en: 'Coding' },
  'content-generation': { fa: 'تولید محتوا', en: 'Content generation' },
  economical: { fa: 'اقتصادی', en: 'Economical' },
  vision: { fa: 'بینایی', en: 'Vision' },
  audio: { fa: 'صوت', en: 'Audio' },
  reasoning: { fa: 'استدلال', en: 'Reasoning' },
};

/** Where several are available, the one that serves a newcomer best comes first. */
const PREFERRED: Record<Category, string[]> = {
  popular: [
    'openai/gpt-6.1-terra',
    'anthropic/claude-sonnet-5-5',
    'google/gemini-3.8-flash',
    'deepseek/deepseek-flash',
  ],
  coding: [
    'anthropic/claude-sonnet-5-5',
    'openai/gpt-6.1-sol',
    'moonshot/kimi-k3.1-pro',
    'zai/glm-5.3',
    'deepseek/deepseek-v4-pro',
  ],
  'content-generation': [
    'openai/gpt-6.1-terra',
    'anthropic/claude-sonnet-5-5',
    'google/gemini-4-argon',
    'qwen/qwen3.8-flash',
  ],
  economical: [
    'openai/gpt-6-luna',
    'anthropic/claude-haiku-5-5',
    'google/gemini-2.5-flash-lite',
    'deepseek/deepseek-flash',
    'zai/glm-5.3-flash',
  ],
  vision: ['google/gemini-3.8-flash', 'openai/gpt-6.1-terra', 'anthropic/claude-sonnet-5-5', 'qwen/qwen3.8-flash'],
  audio: ['openai/gpt-audio-mini', 'openai/gpt-4o-mini-tts', 'google/gemini-2.5-flash'],
  reasoning: ['openai/gpt-6.1-sol', 'anthropic/claude-opus-5-5', 'google/gemini-4-argon', 'deepseek/deepseek-v4-pro'],
};

export function defaultGroups(models: DeclaredModel[]): DeclaredGroup[] {
  return CATEGORIES.flatMap((category) => {
    const members = models.filter((model) => model.categories.includes(category));
    const ids = new Set(members.map((model) => model.id));
    // A simulator is never a default while a real model is available.
    const fallback = members.find((model) => !model.simulated) ?? members[0];
    const defaultModel = PREFERRED[category].find((id) => ids.has(id)) ?? fallback?.id;
    const { en: name, fa: nameFa } = CATEGORY_NAMES[category];
    return defaultModel === undefined ? [] : [{ id: category, name, nameFa, defaultModel, models: [...ids].sort() }];
  });
}
