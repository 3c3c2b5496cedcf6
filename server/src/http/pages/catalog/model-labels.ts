/** Names of kinds, capabilities, uses and makers. What is not named here is shown by its id. */

import { KIND_FACTS, MODEL_KINDS } from '@dargah/core/model-kinds.ts';
import type { Language, Text } from '@dargah/core/text.ts';
import type { Model } from '../../../catalog/index.ts';
import { VENDORS } from '../../../vendors/index.ts';

export const KINDS = Object.fromEntries(MODEL_KINDS.map((kind) => [kind, KIND_FACTS[kind].name])) as Record<
  Model['kind'],
  Text
>;

export const CAPABILITY_LABELS: Record<string, Text> = {
  vision: { fa: 'تصویر', en: 'images' },
  audio_input: { fa: 'صدا', en: 'audio' },
  files: { fa: 'فایل', en: 'files' },
  tools: { fa: 'ابزار', en: 'tools' },
  json_object: { fa: 'خروجی JSON', en: 'JSON output' },
  json_schema: { fa: 'خروجی ساختاریافته', en: 'structured output' },
  reasoning: { fa: 'استدلال', en: 'reasoning' },
  streaming: { fa: 'پاسخ استریم', en: 'streaming' },
  seed: { fa: 'پاسخ تکرارپذیر', en: 'seed' },
  logprobs: { fa: 'احتمال توکن‌ها', en: 'log probabilities' },
  prefill: { fa: 'ادامهٔ پاسخ نیمه‌کاره', en: 'prefilled turns' },
};

/** Inputs that a model takes, in contrast to what it can do. */
export const TAKES = ['vision', 'audio_input', 'files'];
/** Capabilities that get a mark in the list; the others are on the model's own page. */
export const NOTED = ['vision', 'audio_input', 'files', 'tools', 'reasoning'];

export const CATEGORY_LABELS: Record<string, Text> = {
  popular: { fa: 'پرکاربرد', en: 'Popular' },
  coding: { fa: 'کدنویسی', en: 'Coding' },
  'content-generation': { fa: 'تولید محتوا', en: 'Writing' },
  economical: { fa: 'مقرون‌به‌صرفه', en: 'Economical' },
  vision: { fa: 'دیدن تصویر', en: 'Vision' },
  audio: { fa: 'صدا', en: 'Audio' },
  reasoning: { fa: 'استدلال', en: 'Reasoning' },
};

const MAKERS: Record<string, Text> = {
  meta: { fa: 'متا', en: 'Meta' },
  nvidia: { fa: 'انویدیا', en: 'NVIDIA' },
  amazon: { fa: 'آمازون', en: 'Amazon' },
  xiaomi: { fa: 'شیائومی', en: 'Xiaomi' },
  microsoft: { fa: 'مایکروسافت', en: 'Microsoft' },
  ...Object.fromEntries(VENDORS.map(({ id, name }) => [id, name])),
  sandbox: { fa: 'آزمایشی', en: 'Sandbox' },
  auto: { fa: 'خودکار', en: 'Auto' },
};

/** The first part of a model's id: who made it, not who answers. */
export function makerName(vendor: string, language: Language): string {
  return MAKERS[vendor]?.[language] ?? vendor;
}

export function labelOf(words: Record<string, Text>, id: string, language: Language): string {
  return words[id]?.[language] ?? id;
}

export function modelName(model: Model, language: Language): string {
  return language === 'fa' ? (model.nameFa ?? model.name) : model.name;
}
