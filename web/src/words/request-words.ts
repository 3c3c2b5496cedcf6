/** States and refusals of requests, as people call them. */
import type { Tone } from '../parts/small.tsx';
import { dictionary } from './dictionary.tsx';

const fa = {
  states: {
    running: 'در حال اجرا',
    completed: 'انجام شد',
    interrupted: 'نیمه‌کاره ماند',
    client_closed: 'قطع از سوی شما',
    failed: 'مدل پاسخ نداد',
    refused: 'رد شد',
  } as Record<string, string>,
  errors: {
    invalid_request: 'درخواست نادرست',
    invalid_api_key: 'کلید نادرست',
    key_paused: 'کلید متوقف',
    key_expired: 'کلید منقضی',
    account_paused: 'حساب متوقف',
    ip_not_allowed: 'نشانی غیرمجاز',
    referrer_not_allowed: 'سایت غیرمجاز',
    model_not_allowed: 'مدل غیرمجاز',
    model_not_found: 'مدل ناشناخته',
    endpoint_not_allowed: 'نشانی API غیرمجاز',
    rate_limited: 'پر شدن سقف سرعت',
    spend_cap_reached: 'سقف خرج پر بود',
    insufficient_balance: 'موجودی کافی نبود',
    context_too_long: 'متن بلندتر از پنجره',
    upstream_error: 'خطای ارائه‌دهنده',
    upstream_timeout: 'پاسخ دیر شد',
    overloaded: 'شلوغی',
    internal_error: 'خطای ما',
  } as Record<string, string>,
  buckets: {
    input: 'ورودی تازه',
    input_fresh: 'ورودی تازه',
    cache_write_5m: 'نوشتن در حافظهٔ نهان، ۵ دقیقه',
    images: 'تصویر',
    cache_read: 'ورودی از حافظهٔ نهان',
    cache_write: 'نوشتن در حافظهٔ نهان',
    cache_write_1h: 'نوشتن در حافظهٔ نهان، یک‌ساعته',
    output: 'پاسخ',
    reasoning: 'اندیشیدن',
    audio_input: 'صدای ورودی',
    audio_output: 'صدای پاسخ',
    image_input: 'تصویر ورودی',
    request: 'هر درخواست',
    characters: 'نویسه',
    seconds: 'ثانیه صدا',
  } as Record<string, string>,
  endpoints: {
    'chat.completions': 'گفت‌وگو',
    completions: 'ادامهٔ متن',
    messages: 'پیام‌ها',
    responses: 'پاسخ‌ها',
    embeddings: 'بردارسازی',
    'audio.speech': 'گفتار',
    'audio.transcriptions': 'رونویسی',
  } as Record<string, string>,
};

const en: typeof fa = {
  states: {
    running: 'Running',
    completed: 'Done',
    interrupted: 'Cut short',
    client_closed: 'Closed by you',
    failed: 'No answer',
    refused: 'Refused',
  },
  errors: {
    invalid_request: 'Invalid request',
    invalid_api_key: 'Wrong key',
    key_paused: 'Key paused',
    key_expired: 'Key expired',
    account_paused: 'Account paused',
    ip_not_allowed: 'Address not allowed',
    referrer_not_allowed: 'Site not allowed',
    model_not_allowed: 'Model not allowed',
    model_not_found: 'Unknown model',
    endpoint_not_allowed: 'Endpoint not allowed',
    rate_limited: 'Rate limit reached',
    spend_cap_reached: 'Spend cap reached',
    insufficient_balance: 'Balance too low',
    context_too_long: 'Longer than the context',
    upstream_error: 'Provider error',
    upstream_timeout: 'Answer too late',
    overloaded: 'Too busy',
    internal_error: 'Our fault',
  },
  buckets: {
    input: 'Fresh input',
    input_fresh: 'Fresh input',
    cache_write_5m: 'Cache write, five minutes',
    images: 'Images',
    cache_read: 'Cached input',
    cache_write: 'Cache write',
    cache_write_1h: 'Cache write, one hour',
    output: 'Answer',
    reasoning: 'Reasoning',
    audio_input: 'Audio input',
    audio_output: 'Audio answer',
    image_input: 'Image input',
    request: 'Per request',
    characters: 'Characters',
    seconds: 'Seconds of audio',
  },
  endpoints: {
    'chat.completions': 'Chat',
    completions: 'Text completion',
    messages: 'Messages',
    responses: 'Responses',
    embeddings: 'Embeddings',
    'audio.speech': 'Speech',
    'audio.transcriptions': 'Transcription',
  },
};

export const useRequestWords = dictionary(fa, en);

/** Good is quiet; only exceptions are tinted. The word names the cause where one is known. */
export function useStateOf(): (request: { state: string; error: { code: string } | null }) => {
  tone: Tone;
  word: string;
} {
  const words = useRequestWords();
  return ({ state, error }) => {
    const word = words.states[state] ?? state;
    if (state === 'completed') return { tone: 'ok', word };
    if (state === 'running') return { tone: 'held', word };
    if (state === 'client_closed' || state === 'interrupted') return { tone: 'warn', word };
    return { tone: 'bad', word: (error === null ? undefined : (words.errors[error.code] ?? error.code)) ?? word };
  };
}
