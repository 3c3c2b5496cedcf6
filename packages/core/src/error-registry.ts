/** The one registry of errors: code → status → type per protocol → retry advice → Persian and English text. */
import type { Text } from './text.ts';

interface ErrorEntry {
  status: number;
  /** `error.type` on chat, responses, embeddings, audio. */
  type: string;
  /** `error.type` on messages. */
  messagesType: string;
  shouldRetry: boolean;
  text: Text;
}

export const ERRORS = {
  invalid_request: {
    status: 400,
    type: 'invalid_request_error',
    messagesType: 'invalid_request_error',
    shouldRetry: false,
    text: { fa: 'درخواست نامعتبر است.', en: 'The request is invalid.' },
  },
  invalid_api_key: {
    status: 401,
    type: 'authentication_error',
    messagesType: 'authentication_error',
    shouldRetry: false,
    text: {
      fa: 'کلید API فرستاده نشده، نادرست است یا باطل شده است. هدر «Authorization» یا «x-api-key» را بررسی کنید.',
      en: 'The API key is missing, wrong or revoked. Check the Authorization or x-api-key header.',
    },
  },
  insufficient_balance: {
    status: 402,
    type: 'billing_error',
    messagesType: 'billing_error',
    shouldRetry: false,
    text: {
      fa: 'موجودی کیف پول برای این درخواست کافی نیست. کیف پول را شارژ کنید یا «max_tokens» را کمتر کنید.',
      en: 'The wallet balance does not cover this request. Top up the wallet or lower max_tokens.',
    },
  },
  spend_cap_reached: {
    status: 402,
    type: 'billing_error',
    messagesType: 'billing_error',
    shouldRetry: false,
    text: {
      fa: 'سقف خرج کلید یا حساب پر شده است. تا دورهٔ بعد صبر کنید یا سقف را بالا ببرید.',
      en: 'A spend cap of the key or account is reached. Wait for the next period or raise the cap.',
    },
  },
  account_blocked: {
    status: 403,
    type: 'permission_error',
    messagesType: 'permission_error',
    shouldRetry: false,
    text: {
      fa: 'دسترسی این حساب را پشتیبانی بسته است و هیچ کلیدی از آن کار نمی‌کند. موجودی سر جایش است. دلیل را در پنل ببینید و همان‌جا تیکت بزنید.',
      en: 'Support has blocked this account, so none of its keys work. Its balance stays. Sign in to see the reason and to open a ticket.',
    },
  },
  key_paused: {
    status: 403,
    type: 'permission_error',
    messagesType: 'permission_error',
    shouldRetry: false,
    text: {
      fa: 'این کلید موقتاً غیرفعال شده است. آن را در پنل دوباره فعال کنید.',
      en: 'This key is paused. Re-enable it in the dashboard.',
    },
  },
  key_expired: {
    status: 403,
    type: 'permission_error',
    messagesType: 'permission_error',
    shouldRetry: false,
    text: {
      fa: 'تاریخ اعتبار این کلید گذشته است. کلید جدید بسازید یا تاریخ را تمدید کنید.',
      en: 'This key has expired. Make a new key or extend its expiry date.',
    },
  },
  ip_not_allowed: {
    status: 403,
    type: 'permission_error',
    messagesType: 'permission_error',
    shouldRetry: false,
    text: {
      fa: 'آدرس IP یا ارجاع‌دهندهٔ این درخواست در فهرست مجاز کلید نیست.',
      en: "The request's IP address or referrer is not on the key's allow list.",
    },
  },
  endpoint_not_allowed: {
    status: 403,
    type: 'permission_error',
    messagesType: 'permission_error',
    shouldRetry: false,
    text: {
      fa: 'این کلید اجازهٔ استفاده از این مسیر API را ندارد.',
      en: 'This key may not use this endpoint.',
    },
  },
  model_not_allowed: {
    status: 403,
    type: 'permission_error',
    messagesType: 'permission_error',
    shouldRetry: false,
    text: {
      fa: 'قواعد کلید یا حساب اجازهٔ استفاده از این مدل را نمی‌دهد.',
      en: 'The rules of the key or account do not allow this model.',
    },
  },
  price_above_limit: {
    status: 403,
    type: 'permission_error',
    messagesType: 'permission_error',
    shouldRetry: false,
    text: {
      fa: 'قیمت این مدل از سقف قیمت کلید بالاتر است.',
      en: 'The price of this model is above the highest price of the key.',
    },
  },
  data_policy_unmet: {
    status: 403,
    type: 'permission_error',
    messagesType: 'permission_error',
    shouldRetry: false,
    text: {
      fa: 'هیچ مسیری سیاست داده‌ای را که خواسته شده اعلام نکرده است.',
      en: 'No route states the data policy that is demanded.',
    },
  },
  own_key_refused: {
    status: 403,
    type: 'permission_error',
    messagesType: 'permission_error',
    shouldRetry: false,
    text: {
      fa: 'ارائه‌دهنده کلید شخصی حساب شما را نپذیرفت: باطل شده یا اعتبارش تمام شده است. چیزی حساب نشد.',
      en: 'The provider refused your account’s own key: it is revoked or out of credit. Nothing was charged.',
    },
  },
  not_for_sale: {
    status: 403,
    type: 'permission_error',
    messagesType: 'permission_error',
    shouldRetry: false,
    text: {
      fa: 'مدیر سرویس سرویس هنوز فروش این مدل را باز نکرده است: نرخ ارز و حاشیهٔ سود تأیید نشده‌اند.',
      en: 'The operator has not opened sales of this model yet: exchange rate and margin are not confirmed.',
    },
  },
  model_not_found: {
    status: 404,
    type: 'not_found_error',
    messagesType: 'not_found_error',
    shouldRetry: false,
    text: {
      fa: 'مدلی با این شناسه پیدا نشد. شناسهٔ دقیق را از «GET /models» بردارید.',
      en: 'No model has this id. Take the exact id from GET /models.',
    },
  },
  rate_limited: {
    status: 429,
    type: 'rate_limit_error',
    messagesType: 'rate_limit_error',
    shouldRetry: true,
    text: {
      fa: 'تعداد درخواست‌ها یا توکن‌ها در دقیقه از حد مجاز گذشته است. کمی صبر کنید و دوباره بفرستید.',
      en: 'The requests or tokens per minute exceed the limit. Wait a moment and retry.',
    },
  },
  upstream_error: {
    status: 502,
    type: 'upstream_error',
    messagesType: 'api_error',
    shouldRetry: true,
    text: {
      fa: 'ارائه‌دهندهٔ مدل پاسخ نداد و مسیرهای جایگزین هم به نتیجه نرسید. کمی بعد دوباره تلاش کنید.',
      en: 'The model provider failed and the alternatives failed too. Retry shortly.',
    },
  },
  upstream_timeout: {
    status: 504,
    type: 'upstream_error',
    messagesType: 'timeout_error',
    shouldRetry: true,
    text: {
      fa: 'ارائه‌دهندهٔ مدل در زمان مقرر پاسخ نداد. دوباره تلاش کنید، پاسخ استریم («stream») بخواهید یا ورودی را کوتاه کنید.',
      en: 'The model provider did not answer in time. Retry, use streaming or shorten the input.',
    },
  },
  not_found: {
    status: 404,
    type: 'not_found_error',
    messagesType: 'not_found_error',
    shouldRetry: false,
    text: { fa: 'این آدرس وجود ندارد.', en: 'There is nothing at this address.' },
  },
  stream_gone: {
    status: 410,
    type: 'invalid_request_error',
    messagesType: 'invalid_request_error',
    shouldRetry: false,
    text: {
      fa: 'این استریم را نمی‌توان ادامه داد: فریم‌هایش نگه داشته نمی‌شوند.',
      en: 'This stream cannot be continued: its frames are not kept.',
    },
  },
  stream_cancelled: {
    status: 409,
    type: 'invalid_request_error',
    messagesType: 'invalid_request_error',
    shouldRetry: false,
    text: {
      fa: 'این پاسخ پیش از پایان لغو شد. آنچه تا آن لحظه نوشته شده بود محاسبه شده است.',
      en: 'This answer was cancelled before its end. What had been written by then is charged.',
    },
  },
  stream_interrupted: {
    status: 502,
    type: 'upstream_error',
    messagesType: 'api_error',
    shouldRetry: true,
    text: {
      fa: 'سروری که این پاسخ را می‌نوشت از کار افتاد و پاسخ همین‌جا تمام شد. هزینهٔ آن را در رسید درخواست ببینید.',
      en: 'The server that wrote this answer stopped, so the answer ends here. Its receipt says what it cost.',
    },
  },
  unauthorized: {
    status: 401,
    type: 'authentication_error',
    messagesType: 'authentication_error',
    shouldRetry: false,
    text: { fa: 'برای این کار باید وارد شوید.', en: 'Sign in to do this.' },
  },
  forbidden: {
    status: 403,
    type: 'permission_error',
    messagesType: 'permission_error',
    shouldRetry: false,
    text: {
      fa: 'نقش شما اجازهٔ این کار را ندارد.',
      en: 'Your role does not allow this.',
    },
  },
  foreign_origin: {
    status: 403,
    type: 'permission_error',
    messagesType: 'permission_error',
    shouldRetry: false,
    text: {
      fa: 'این درخواست از سایت دیگری فرستاده شده و پذیرفته نمی‌شود.',
      en: 'This request comes from another origin and is refused.',
    },
  },
  wrong_code: {
    status: 401,
    type: 'authentication_error',
    messagesType: 'authentication_error',
    shouldRetry: false,
    text: {
      fa: 'کد درست نیست یا مهلت آن گذشته است.',
      en: 'The code is wrong or has expired.',
    },
  },
  wrong_credentials: {
    status: 401,
    type: 'authentication_error',
    messagesType: 'authentication_error',
    shouldRetry: false,
    text: {
      fa: 'ورود ممکن نشد: مشخصات درست نیست.',
      en: 'Signing in failed: the credentials are wrong.',
    },
  },
  password_change_required: {
    status: 403,
    type: 'permission_error',
    messagesType: 'permission_error',
    shouldRetry: false,
    text: {
      fa: 'رمز عبوری که با آن وارد شده‌اید موقت است. اول رمز عبور خودتان را بگذارید؛ تا آن وقت بخش دیگری باز نمی‌شود.',
      en: 'You signed in with a temporary password. Choose your own first; nothing else opens until then.',
    },
  },
  messages_unavailable: {
    status: 503,
    type: 'server_error',
    messagesType: 'api_error',
    shouldRetry: false,
    text: {
      fa: 'این سرویس هنوز نمی‌تواند پیامک یا ایمیل بفرستد. با پشتیبانی تماس بگیرید یا روش دیگری برای ورود انتخاب کنید.',
      en: 'This service cannot send such messages yet. Contact support or sign in another way.',
    },
  },
  second_factor_required: {
    status: 403,
    type: 'permission_error',
    messagesType: 'permission_error',
    shouldRetry: false,
    text: {
      fa: 'برای این کار باید ورود دومرحله‌ای را راه‌اندازی کنید.',
      en: 'Set up a second factor to do this.',
    },
  },
  proof_required: {
    status: 403,
    type: 'permission_error',
    messagesType: 'permission_error',
    shouldRetry: false,
    text: {
      fa: 'برای این کار باید دوباره نشان دهید که خودتان هستید.',
      en: 'Prove again who you are to do this.',
    },
  },
  credit_limit_exceeded: {
    status: 403,
    type: 'permission_error',
    messagesType: 'permission_error',
    shouldRetry: false,
    text: {
      fa: 'این مبلغ از سقف شما بیشتر است و چیزی ثبت نشد.',
      en: 'This is beyond your limit; nothing was booked.',
    },
  },
  registration_closed: {
    status: 403,
    type: 'permission_error',
    messagesType: 'permission_error',
    shouldRetry: false,
    text: {
      fa: 'اکنون ثبت‌نام بدون دعوت ممکن نیست.',
      en: 'Signing up needs an invitation at present.',
    },
  },
  conflict: {
    status: 409,
    type: 'invalid_request_error',
    messagesType: 'invalid_request_error',
    shouldRetry: false,
    text: { fa: 'این کار با وضعیت فعلی سازگار نیست.', en: 'This conflicts with the present state.' },
  },
  upgrade_required: {
    status: 426,
    type: 'invalid_request_error',
    messagesType: 'invalid_request_error',
    shouldRetry: false,
    text: {
      fa: 'این آدرس WebSocket است؛ با کلاینت WebSocket به آن وصل شوید.',
      en: 'This address is a WebSocket; open it with a WebSocket client.',
    },
  },
  internal_error: {
    status: 500,
    type: 'api_error',
    messagesType: 'api_error',
    shouldRetry: true,
    text: { fa: 'خطایی از سمت ما رخ داد.', en: 'Something failed on our side.' },
  },
  overloaded: {
    status: 503,
    type: 'api_error',
    messagesType: 'overloaded_error',
    shouldRetry: true,
    text: {
      fa: 'سرویس الان شلوغ است. کمی بعد دوباره تلاش کنید.',
      en: 'The service is overloaded. Retry shortly.',
    },
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;
