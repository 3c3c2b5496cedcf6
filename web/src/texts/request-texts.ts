/** States and refusals of requests, as people call them. */

import { ENDPOINT_WORDS } from '@dargah/core/endpoints.ts';
import type { ErrorCode } from '@dargah/core/error-registry.ts';
import type { RequestState } from '@dargah/core/request-states.ts';
import type { Tone } from '../parts/pill.tsx';
import { dictionary, labelOf } from './dictionary.tsx';

function endpointsIn(language: 'fa' | 'en'): Record<string, string> {
  return Object.fromEntries(Object.entries(ENDPOINT_WORDS).map(([name, texts]) => [name, texts[language]]));
}

const fa = {
  states: {
    running: 'در حال اجرا',
    completed: 'انجام شد',
    interrupted: 'نیمه‌کاره ماند',
    client_closed: 'قطع از طرف شما',
    failed: 'مدل پاسخ نداد',
    refused: 'رد شد',
  } satisfies Record<RequestState, string>,
  errors: {
    invalid_request: 'درخواست نادرست',
    invalid_api_key: 'کلید نادرست',
    insufficient_balance: 'موجودی کافی نبود',
    spend_cap_reached: 'سقف خرج پر بود',
    account_blocked: 'دسترسی حساب بسته',
    key_paused: 'کلید متوقف',
    key_expired: 'کلید منقضی',
    ip_not_allowed: 'IP یا سایت غیرمجاز',
    endpoint_not_allowed: 'مسیر API غیرمجاز',
    model_not_allowed: 'مدل غیرمجاز',
    price_above_limit: 'بالاتر از سقف قیمت',
    data_policy_unmet: 'سیاست داده برآورده نشد',
    own_key_refused: 'کلید شخصی پذیرفته نشد',
    not_for_sale: 'فروش باز نشده',
    model_not_found: 'مدل ناشناخته',
    rate_limited: 'سقف سرعت پر بود',
    upstream_error: 'مدل پاسخ نداد',
    upstream_timeout: 'پاسخ به‌موقع نرسید',
    not_found: 'پیدا نشد',
    unauthorized: 'وارد نشده',
    forbidden: 'غیرمجاز',
    foreign_origin: 'از سایتی دیگر',
    wrong_code: 'کد نادرست',
    wrong_credentials: 'رمز عبور نادرست',
    password_change_required: 'رمز موقت هنوز عوض نشده',
    messages_unavailable: 'پیام‌رسانی تنظیم نشده',
    second_factor_required: 'بدون ورود دومرحله‌ای',
    proof_required: 'بدون تأیید دوباره',
    registration_closed: 'ثبت‌نام بسته بود',
    conflict: 'ناسازگار با وضعیت فعلی',
    credit_limit_exceeded: 'بیشتر از سقف',
    stream_gone: 'استریم نگه داشته نشده',
    stream_cancelled: 'استریم لغو شد',
    stream_interrupted: 'سرور وسط پاسخ از کار افتاد',
    upgrade_required: 'نیاز به WebSocket',
    internal_error: 'خطای ما',
    overloaded: 'شلوغی',
  } satisfies Record<ErrorCode, string>,
  advice: {
    invalid_request: 'بدنهٔ درخواست درست نبود؛ پیام خطا نام فیلد نادرست را گفته است.',
    insufficient_balance: 'کیف پول را شارژ کنید یا حداکثر طول پاسخ را کوتاه‌تر کنید.',
    spend_cap_reached: 'تا دورهٔ بعد صبر کنید یا سقف را بالا ببرید.',
    account_blocked: 'دلیل در نمای کلی پنل آمده است؛ با تیکت به پشتیبانی بنویسید.',
    key_paused: 'کلید را در صفحهٔ کلیدها دوباره روشن کنید.',
    key_expired: 'تاریخ انقضای کلید را جلو ببرید یا کلید جدید بسازید.',
    ip_not_allowed: 'آدرس یا سایت فرستنده را به فهرست مجاز کلید اضافه کنید.',
    endpoint_not_allowed: 'این مسیر API را در قانون‌های کلید یا حساب باز کنید.',
    model_not_allowed: 'این مدل را در قانون‌های کلید یا حساب باز کنید.',
    price_above_limit: 'مدل ارزان‌تری انتخاب کنید یا سقف قیمت کلید را بالا ببرید.',
    data_policy_unmet:
      'مدلی انتخاب کنید که مسیرش این سیاست را اعلام کرده باشد، یا قانون سیاست دادهٔ کلید را تغییر دهید.',
    own_key_refused: 'کلید شخصی حساب را نزد ارائه‌دهنده بررسی یا عوض کنید، یا اجازه دهید مسیرهای سرویس پاسخ دهند.',
    not_for_sale: 'مدیر سرویس سرویس هنوز نرخ ارز و حاشیهٔ سود را تأیید نکرده است؛ به او بگویید.',
    model_not_found: 'شناسهٔ دقیق مدل را از فهرست مدل‌ها بردارید.',
    rate_limited: 'کمی بعد دوباره بفرستید یا سقف سرعت را بالا ببرید.',
    upstream_error: 'دوباره بفرستید؛ اگر ماند، وضعیت سرویس‌ها را ببینید.',
    upstream_timeout: 'دوباره بفرستید یا پاسخ کوتاه‌تری بخواهید.',
    overloaded: 'چند ثانیه بعد دوباره بفرستید.',
    internal_error: 'اگر دوباره دیدید، شمارهٔ همین درخواست را برای پشتیبانی بفرستید.',
  } satisfies Partial<Record<ErrorCode, string>>,
  buckets: {
    input_fresh: 'ورودی جدید',
    cache_write_5m: 'نوشتن در کش، ۵ دقیقه',
    images: 'تصویر',
    cache_read: 'ورودی کش‌شده',
    cache_write_1h: 'نوشتن در کش، ۱ ساعت',
    output: 'پاسخ',
    reasoning: 'استدلال',
    audio_input: 'صدای ورودی',
    audio_cache_read: 'صدای کش‌شده',
    audio_output: 'صدای پاسخ',
    image_input: 'تصویر ورودی',
    image_output: 'تصویر پاسخ',
    searches: 'جست‌وجو',
    web_searches: 'جست‌وجوی وب',
    web_fetches: 'خواندن صفحهٔ وب',
    file_searches: 'جست‌وجوی فایل',
    code_sessions: 'نشست اجرای کد',
    image_tool_input: 'ورودی ابزار تصویر',
    image_tool_output: 'خروجی ابزار تصویر',
    request: 'هر درخواست',
    cached: 'تخفیف کش پاسخ',
    characters: 'کاراکتر',
    seconds: 'ثانیه صدا',
  },
  endpoints: endpointsIn('fa'),
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
    insufficient_balance: 'Balance too low',
    spend_cap_reached: 'Spend cap reached',
    account_blocked: 'Account blocked',
    key_paused: 'Key paused',
    key_expired: 'Key expired',
    ip_not_allowed: 'IP or site not allowed',
    endpoint_not_allowed: 'Endpoint not allowed',
    model_not_allowed: 'Model not allowed',
    price_above_limit: 'Above the highest price',
    data_policy_unmet: 'Data policy not met',
    own_key_refused: 'Own key refused',
    not_for_sale: 'Not for sale yet',
    model_not_found: 'Unknown model',
    rate_limited: 'Rate limit reached',
    upstream_error: 'No answer',
    upstream_timeout: 'Timed out',
    not_found: 'Not found',
    unauthorized: 'Not signed in',
    forbidden: 'Not permitted',
    foreign_origin: 'From another site',
    wrong_code: 'Wrong code',
    wrong_credentials: 'Wrong password',
    password_change_required: 'Temporary password in use',
    messages_unavailable: 'No messenger set up',
    second_factor_required: 'Second factor missing',
    proof_required: 'Identity not confirmed',
    credit_limit_exceeded: 'Beyond a limit of credit by hand',
    registration_closed: 'Registration closed',
    conflict: 'Conflicts with the current state',
    stream_gone: 'Stream not kept',
    stream_cancelled: 'Stream cancelled',
    stream_interrupted: 'Server lost in the middle',
    upgrade_required: 'WebSocket needed',
    internal_error: 'Our fault',
    overloaded: 'Too busy',
  },
  advice: {
    invalid_request: 'The body was not right; the error named the field.',
    insufficient_balance: 'Top up the wallet or ask for a shorter answer.',
    spend_cap_reached: 'Wait for the next period or raise the cap.',
    account_blocked: 'The overview tells the reason; write to support in a ticket.',
    key_paused: 'Resume the key on the Keys page.',
    key_expired: 'Extend the key or create a new one.',
    ip_not_allowed: 'Add the sender’s address or site to the key’s list.',
    endpoint_not_allowed: 'Open this endpoint in the rules of the key or account.',
    model_not_allowed: 'Open this model in the rules of the key or account.',
    price_above_limit: 'Choose a cheaper model, or raise the highest price of the key.',
    data_policy_unmet: 'Choose a model with a route that states it, or change the key’s rule about data.',
    own_key_refused:
      'Check the account’s own key at its provider or replace it, or let the service’s routes answer instead.',
    not_for_sale: 'The operator has not confirmed the exchange rate and the margin yet; tell them.',
    model_not_found: 'Take the exact id from the list of models.',
    rate_limited: 'Send it again a little later, or raise the rate limit.',
    upstream_error: 'Send it again; if it stays, look at the status page.',
    upstream_timeout: 'Send it again or ask for a shorter answer.',
    overloaded: 'Send it again in a few seconds.',
    internal_error: 'If you see it again, send this request id to support.',
  },
  buckets: {
    input_fresh: 'Fresh input',
    cache_write_5m: 'Cache write, five minutes',
    images: 'Images',
    cache_read: 'Cached input',
    cache_write_1h: 'Cache write, one hour',
    output: 'Answer',
    reasoning: 'Reasoning',
    audio_input: 'Audio input',
    audio_cache_read: 'Cached audio',
    audio_output: 'Audio answer',
    image_input: 'Image input',
    image_output: 'Image output',
    searches: 'Searches',
    web_searches: 'Web searches',
    web_fetches: 'Web pages read',
    file_searches: 'File searches',
    code_sessions: 'Code sessions',
    image_tool_input: 'Image tool input',
    image_tool_output: 'Image tool output',
    request: 'Per request',
    cached: 'Response cache discount',
    characters: 'Characters',
    seconds: 'Seconds of audio',
  },
  endpoints: endpointsIn('en'),
};

export const useRequestTexts = dictionary(fa, en);

/** Only exceptions are coloured. The text names the cause where one is known. */
export function useStateOf(): (request: { state: string; error: { code: string } | null }) => {
  tone: Tone;
  word: string;
} {
  const texts = useRequestTexts();
  return ({ state, error }) => {
    const word = labelOf(texts.states, state) ?? state;
    if (state === 'completed') return { tone: 'ok', word };
    if (state === 'running') return { tone: 'held', word };
    if (state === 'client_closed' || state === 'interrupted') return { tone: 'warn', word };
    return {
      tone: 'bad',
      word: (error === null ? undefined : (labelOf(texts.errors, error.code) ?? error.code)) ?? word,
    };
  };
}
