/** Named ways in which a route departs from its protocol. A route that names none has its provider's. */
import { fieldTable } from './field.ts';

const FLAG = { kind: 'flag' } as const;

export const QUIRK_FIELDS = fieldTable({
  max_tokens_field: {
    kind: 'choice',
    values: ['max_tokens', 'max_completion_tokens'],
    label: { fa: 'نام فیلد سقف پاسخ', en: 'Field of the answer’s limit' },
    help: { fa: 'ارائه‌دهنده سقف پاسخ را با این نام می‌خواند.', en: 'The name under which the provider reads it.' },
  },
  reasoning_style: {
    kind: 'choice',
    values: ['reasoning_effort', 'openrouter', 'thinking-switch', 'none'],
    label: { fa: 'شیوهٔ درخواست استدلال', en: 'How reasoning is asked for' },
    help: { fa: '«none» یعنی فرستاده نشود.', en: '“none” sends nothing.' },
  },
  replay_reasoning_as: {
    kind: 'choice',
    values: ['reasoning_content', 'reasoning', 'reasoning_details'],
    label: { fa: 'بازگرداندن استدلال با فیلد', en: 'Reasoning goes back as' },
    help: { fa: 'در نوبت بعدی گفت‌وگو.', en: 'In the next turn of a conversation.' },
  },
  rerank_style: {
    kind: 'choice',
    values: ['cohere', 'voyage', 'jina', 'tei'],
    label: { fa: 'شیوهٔ بازرتبه‌بندی', en: 'Style of reranking' },
    help: {
      fa: 'فیلدها و آدرس بازرتبه‌بندی از آنِ کدام سرویس است؛ «jina» برای vLLM و سرورهای سازگار.',
      en: 'Whose fields and address its reranking has; “jina” for vLLM and compatible servers.',
    },
  },
  begun_turn: {
    kind: 'choice',
    values: ['prefix', 'partial', 'continue_final_message'],
    label: { fa: 'نشانهٔ پاسخ نیمه‌کاره', en: 'Mark of a begun turn' },
    help: {
      fa: 'ارائه‌دهنده فقط با این نشانه پاسخ نیمه‌کاره را ادامه می‌دهد؛ «continue_final_message» برای vLLM و «prefix» برای آدرس بتای دیپ‌سیک.',
      en: 'Only with it the provider goes on with a begun turn; continue_final_message for vLLM, prefix for DeepSeek’s beta address.',
    },
  },
  image_style: {
    kind: 'choice',
    values: ['openai', 'xai'],
    label: { fa: 'شیوهٔ ساخت تصویر', en: 'Style of image requests' },
    help: { fa: 'فیلدهای تصویر از آنِ کدام سرویس است.', en: 'Whose fields its image requests have.' },
  },
  rejects_stream_options: {
    ...FLAG,
    label: { fa: 'stream_options را نمی‌پذیرد', en: 'Refuses stream_options' },
    help: { fa: 'فرستاده نمی‌شود.', en: 'It is not sent.' },
  },
  no_developer_role: {
    ...FLAG,
    label: { fa: 'نقش developer را نمی‌شناسد', en: 'Does not know the role developer' },
    help: { fa: 'با نقش system فرستاده می‌شود.', en: 'Sent as system.' },
  },
  rejects_sampling: {
    ...FLAG,
    label: { fa: 'temperature و top_p را نمی‌پذیرد', en: 'Refuses temperature and top_p' },
    help: { fa: 'فرستاده نمی‌شوند.', en: 'They are not sent.' },
  },
  rejects_strict_tools: {
    ...FLAG,
    label: { fa: 'ابزار strict را نمی‌پذیرد', en: 'Refuses strict tools' },
    help: { fa: 'strict فرستاده نمی‌شود.', en: 'strict is not sent.' },
  },
  takes_cache_control: {
    ...FLAG,
    label: { fa: 'cache_control را می‌پذیرد', en: 'Takes cache_control' },
    help: { fa: 'نشانه‌های کش به او هم فرستاده می‌شود.', en: 'Marks of the cache are sent to it too.' },
  },
  replays_tool_signatures: {
    ...FLAG,
    label: { fa: 'امضای ابزارها را پس می‌خواهد', en: 'Wants tool signatures back' },
    help: { fa: 'در نوبت بعدی فرستاده می‌شوند.', en: 'They are sent in the next turn.' },
  },
  adaptive_thinking: {
    ...FLAG,
    label: { fa: 'مدل خودش مقدار استدلال را انتخاب می‌کند', en: 'Chooses by itself how much to think' },
    help: { fa: 'بودجهٔ استدلال فرستاده نمی‌شود.', en: 'No budget of thinking is sent.' },
  },
});
