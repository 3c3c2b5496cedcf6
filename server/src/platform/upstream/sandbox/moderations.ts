/** Moderation without a model: a few plain words in two languages. It shows what an answer looks like and protects nobody. */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts';
import { jsonReply, type LocalAnswer } from './local-reply.ts';

const WORDS: Record<string, readonly string[]> = {
  harassment: ['idiot', 'احمق'],
  'harassment/threatening': [],
  hate: ['hate', 'نفرت'],
  'hate/threatening': [],
  illicit: ['cocaine', 'کوکائین'],
  'illicit/violent': ['bomb', 'بمب'],
  'self-harm': ['suicide', 'خودکشی'],
  'self-harm/intent': [],
  'self-harm/instructions': [],
  sexual: ['porn', 'پورن'],
  'sexual/minors': [],
  violence: ['kill', 'بکش'],
  'violence/graphic': [],
};
const [LIKELY, UNLIKELY] = [0.97, 0.001];

export function simulateModeration(body: JsonObject): LocalAnswer {
  const { input } = body;
  const items = Array.isArray(input) ? input : [input];
  const isOne = items.some((item) => isJsonObject(item));
  const judged = isOne ? [items.map(textOf).join(' ')] : items.map(textOf);
  return jsonReply(200, {
    id: 'modr-sandbox',
    model: typeof body['model'] === 'string' ? body['model'] : 'moderate',
    results: judged.map(judge),
  });
}

function textOf(item: Json | undefined): string {
  if (isJsonObject(item)) return typeof item['text'] === 'string' ? item['text'] : '';
  return typeof item === 'string' ? item : '';
}

function judge(text: string) {
  const lower = text.toLowerCase();
  const names = Object.keys(WORDS);
  const hit = (name: string) => (WORDS[name] ?? []).some((word) => lower.includes(word));
  const of = <T>(value: (name: string) => T) => Object.fromEntries(names.map((name) => [name, value(name)]));
  return {
    flagged: names.some(hit),
    categories: of(hit),
    category_scores: of((name) => (hit(name) ? LIKELY : UNLIKELY)),
    category_applied_input_types: of(() => ['text']),
  };
}
