/**
 * Our descriptions of the listed models: what a model is, what it suits, and what to note. They are in
 * data/descriptions.json by the beginning of a model's name, and the longest beginning that fits is used: a family is
 * described once, a member where it differs.
 */
import type { Text } from '@dargah/core/text.ts';
import { VENDORS } from '../vendors/index.ts';
import sentences from './data/descriptions.json' with { type: 'json' };
import { listedModels } from './seed/listed-models.ts';

interface Sentence extends Text {
  /** Beginnings of names, without their maker. */
  of: string[];
}

/** These vendors run models of other makers. */
const HOSTS = new Set(['groq', 'cerebras', 'fireworks', 'together']);

const THINKS: Text = {
  fa: 'پیش از پاسخ استدلال می‌کند و توکن‌های استدلال با نرخ پاسخ حساب می‌شود.',
  en: 'It thinks before it answers, and the tokens of its thinking are charged as output.',
};
const ANSWERS_AT_ONCE: Text = {
  fa: 'بدون مرحلهٔ استدلال پاسخ می‌دهد؛ پرسش‌های چندمرحله‌ای را برایش خرد کنید.',
  en: 'It answers without a reasoning step; break questions of several steps down for it.',
};

let known: Map<string, Text> | undefined;

/** Undefined for a model that is not in our list, of which we know nothing. */
export function shippedDescription(id: string): Text | undefined {
  known ??= new Map(
    listedModels().flatMap((model) => {
      const text = describe(model.id, model.kind === 'chat', model.capabilities.includes('reasoning'));
      return text ? [[model.id, text]] : [];
    }),
  );
  return known.get(id);
}

function describe(id: string, isChat: boolean, thinks: boolean): Text | undefined {
  const [vendor = '', ...rest] = id.split('/');
  const name = rest.join('/');
  const parts = [
    longest(sentences.what, name),
    longest(sentences.suits, name),
    longest(sentences.mind, name) ?? (isChat ? usualMind(vendor, thinks) : undefined),
  ].filter((part) => part !== undefined);
  if (parts.length < 2) return undefined;
  return { fa: parts.map(({ fa }) => fa).join(' '), en: parts.map(({ en }) => en).join(' ') };
}

function usualMind(vendor: string, thinks: boolean): Text {
  const host = HOSTS.has(vendor) ? VENDORS.find(({ id }) => id === vendor)?.name : undefined;
  if (host)
    return {
      fa: `آن را ${host.fa} اجرا می‌کند، نه سازنده‌اش؛ پس سرعت و محدودیت‌ها از ${host.fa} است.`,
      en: `${host.en} runs it and not its maker, so its speed and limits are those of ${host.en}.`,
    };
  return thinks ? THINKS : ANSWERS_AT_ONCE;
}

function longest(list: readonly Sentence[], name: string): Text | undefined {
  let found: Text | undefined;
  let length = 0;
  for (const sentence of list)
    for (const beginning of sentence.of)
      if (beginning.length > length && name.startsWith(beginning)) [found, length] = [sentence, beginning.length];
  return found;
}
