/** The public endpoints by name, as rules of keys name them. */
import type { Text } from './text.ts';

export const ENDPOINTS = [
  'chat.completions',
  'completions',
  'messages',
  'messages.count_tokens',
  'responses',
  'gemini.generate',
  'gemini.count_tokens',
  'gemini.embed',
  'embeddings',
  'rerank',
  'moderations',
  'images.generations',
  'images.edits',
  'audio.speech',
  'audio.transcriptions',
  'audio.translations',
  'files',
  'batches',
  'realtime',
  'models',
  'key',
  'requests',
  'knowledge_bases',
] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** The names people read, on receipts and in breakdowns. */
export const ENDPOINT_WORDS: Record<Endpoint, Text> = {
  'chat.completions': { fa: 'گفت‌وگو', en: 'Chat' },
  completions: { fa: 'ادامهٔ متن', en: 'Text completion' },
  messages: { fa: 'پیام‌ها', en: 'Messages' },
  'messages.count_tokens': { fa: 'شمارش توکن', en: 'Counting tokens' },
  responses: { fa: 'پاسخ‌ها', en: 'Responses' },
  'gemini.generate': { fa: 'گفت‌وگوی Gemini', en: 'Gemini chat' },
  'gemini.count_tokens': { fa: 'شمارش توکن Gemini', en: 'Gemini token count' },
  'gemini.embed': { fa: 'بردارسازی Gemini', en: 'Gemini embeddings' },
  embeddings: { fa: 'بردارسازی', en: 'Embeddings' },
  rerank: { fa: 'بازرتبه‌بندی', en: 'Rerank' },
  moderations: { fa: 'بررسی محتوا', en: 'Moderation' },
  'images.generations': { fa: 'ساخت تصویر', en: 'Image' },
  'images.edits': { fa: 'تغییر تصویر', en: 'Image edit' },
  'audio.speech': { fa: 'گفتار', en: 'Speech' },
  'audio.transcriptions': { fa: 'رونویسی', en: 'Transcription' },
  'audio.translations': { fa: 'ترجمهٔ گفتار', en: 'Translation of speech' },
  files: { fa: 'فایل‌ها', en: 'Files' },
  batches: { fa: 'دسته‌ها', en: 'Batches' },
  realtime: { fa: 'مکالمهٔ زنده', en: 'Realtime' },
  models: { fa: 'فهرست مدل‌ها', en: 'List of models' },
  key: { fa: 'وضعیت کلید', en: 'State of the key' },
  requests: { fa: 'رسیدها', en: 'Receipts' },
  knowledge_bases: { fa: 'پایگاه دانش', en: 'Knowledge bases' },
};

/** What a call is counted as: a public endpoint, or another part of the service, which the rules of keys cannot name. */
export type CalledEndpoint = Endpoint | 'operator' | 'console' | 'open' | 'unknown';
