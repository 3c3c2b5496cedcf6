import { isJsonObject, type Json } from '../core/json.ts';
import type { Vendor } from './vendor.ts';

/** Found on the operator's machine by asking; needs no key. */
export const ollama: Vendor = {
  id: 'ollama',
  name: { fa: 'اولاما (محلی)', en: 'Ollama (local)' },
  protocol: 'openai-chat',
  baseUrl: 'http://127.0.0.1:11434/v1',
  auth: 'none',
  keyEnv: [],
  baseUrlEnv: 'OLLAMA_BASE_URL',
  quirks: { maxTokensField: 'max_tokens', noDeveloperRole: true },
  discovery: { path: '/models', readModels: (answer) => readOpenAiModelList(answer) },
};

/** `{object: "list", data: [{id}]}`: the one list that every compatible server gives. */
export function readOpenAiModelList(answer: Json): string[] | undefined {
  if (!isJsonObject(answer) || answer['object'] !== 'list' || !Array.isArray(answer['data'])) return undefined;
  const names = answer['data'].flatMap((entry) =>
    isJsonObject(entry) && typeof entry['id'] === 'string' && entry['id'] !== '' ? [entry['id']] : [],
  );
  // A server with more models than this is not somebody's own machine.
  return names.slice(0, 200);
}
