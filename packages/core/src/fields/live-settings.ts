/** The operator's settings that may change while the service runs. */
import { fieldTable } from './field.ts';

export const LIVE_SETTING_FIELDS = fieldTable({
  wallet_minimum: {
    kind: 'toman',
    unit: 'toman',
    label: { fa: 'حداقل موجودی برای شروع درخواست', en: 'Least balance to begin a request' },
    help: {
      fa: 'با موجودی کمتر از این، هیچ درخواست پولی شروع نمی‌شود.',
      en: 'Below it every charged request is refused.',
    },
  },
  charge_interrupted: {
    kind: 'flag',
    initial: true,
    label: { fa: 'پاسخ‌های نیمه‌کاره هم حساب شوند', en: 'Broken-off answers are charged' },
    help: {
      fa: 'اگر استریم وسط راه قطع شود، فقط همان بخشی که رسیده حساب می‌شود.',
      en: 'When a stream breaks, the part that arrived is charged.',
    },
  },
  // Without a default, clients who leave early would get hidden reasoning for free; ADR 0033 says how 60 was found.
  hidden_tokens_per_second: {
    kind: 'whole',
    initial: 60,
    min: 1,
    max: 3_000,
    unit: 'tokens-per-second',
    label: { fa: 'سرعت استدلال پنهان', en: 'Speed of hidden reasoning' },
    help: {
      fa: 'مشتری‌ای که پیش از پایان پاسخ می‌رود، برای هر ثانیه استدلالِ پنهان همین تعداد توکن می‌پردازد، تا وقتی سرعت واقعی مدل معلوم شود.',
      en: 'Who leaves before the end pays this many tokens for each second of hidden reasoning, until the model was measured.',
    },
  },
  // A hit costs no provider anything, but memory and bandwidth; ADR 0070 says why it is not free.
  cache_price_percent: {
    kind: 'whole',
    initial: 10,
    min: 0,
    max: 100,
    unit: 'percent',
    label: { fa: 'قیمت پاسخ از کش', en: 'Price of a cached answer' },
    help: {
      fa: 'درصدی از قیمت معمول که برای پاسخی از کش پاسخ حساب می‌شود؛ ۰ یعنی رایگان.',
      en: 'Per cent of the usual price that an answer from the response cache is charged; 0: nothing.',
    },
  },
  registration: {
    kind: 'choice',
    values: ['open', 'invitation', 'closed'],
    label: { fa: 'ثبت‌نام', en: 'Registration' },
    help: { fa: 'چه کسی حساب جدید می‌سازد.', en: 'Who makes a new account.' },
  },
  welcome_credit: {
    kind: 'toman',
    unit: 'toman',
    label: { fa: 'هدیهٔ خوش‌آمد', en: 'Welcome credit' },
    help: {
      fa: 'به کیف پول هر حساب جدید می‌رود. صفر یعنی بدون هدیه.',
      en: 'Goes into the wallet of every new account. Zero means none.',
    },
  },
  staff_second_factor: {
    kind: 'flag',
    label: { fa: 'ورود دومرحله‌ای برای کارکنان', en: 'A second factor for staff' },
    help: {
      fa: 'کارکنانی که ورود دومرحله‌ای ندارند، پیش از ساختنش وارد نمی‌شوند.',
      en: 'Staff without one cannot enter before they have set it up.',
    },
  },
  operator_tokens: {
    kind: 'flag',
    label: { fa: 'توکن برای برنامه‌ها', en: 'Tokens for programs' },
    help: {
      fa: 'خاموش: API مدیر سرویس فقط با ورود کارکنان یا خط فرمان روی سرور باز می‌شود.',
      en: 'Off: the operator API opens only to staff who signed in and to the command line on the server.',
    },
  },
  messages_per_day: {
    kind: 'whole',
    min: 100,
    max: 10_000_000,
    unit: 'items',
    initial: 20_000,
    label: { fa: 'سقف پیام‌های یک روز', en: 'Messages in a day' },
    help: {
      fa: 'کدهای ورود و دعوت‌نامه‌ها روی هم؛ نیمی برای دستگاه‌های شناخته‌شده کنار گذاشته می‌شود.',
      en: 'Sign-in codes and invitations together; half of them are kept for devices that are known.',
    },
  },
  knowledge_rerank_model: {
    kind: 'text',
    minLength: 1,
    maxLength: 200,
    nullable: true,
    label: { fa: 'مدل بازرتبه‌بندی پایگاه دانش', en: 'Model that reranks knowledge' },
    help: {
      fa: 'بخش‌های پیداشده را پیش از پاسخ مرتب می‌کند؛ هزینه‌اش با صاحب پایگاه است. خالی یعنی بدون آن.',
      en: 'Puts found passages in order before the answer; the owner of the base pays. Empty: none.',
    },
  },
  guarantee_free_per_day: {
    kind: 'whole',
    min: 0,
    max: 10_000,
    unit: 'items',
    initial: 20,
    label: { fa: 'پاسخ‌های رایگان ضمانت در روز', en: 'Free answers of the guarantee in a day' },
    help: {
      fa: 'پاسخی که ضمانتش نقض شود رایگان است؛ برای هر حساب در هر روز حداکثر این تعداد. صفر یعنی هیچ‌کدام.',
      en: 'An answer that breaks its guarantee is free; so many at most for each account and day. Zero: none.',
    },
  },
  guarantee_toman_per_day: {
    kind: 'whole',
    min: 0,
    max: 1_000_000_000,
    unit: 'toman',
    initial: 200_000,
    label: { fa: 'سقف هزینهٔ ضمانت در روز (تومان)', en: 'Cost of the guarantee in a day (toman)' },
    help: {
      fa: 'پاسخ‌های رایگان و پاسخ‌هایی که دوباره پرسیده می‌شوند روی هم؛ برای هر حساب در هر روز حداکثر این مبلغ. صفر یعنی هیچ.',
      en: 'Free answers and those that are asked again together; so much at most for each account and day. Zero: none.',
    },
  },
  conformance_budget: {
    kind: 'toman',
    unit: 'toman',
    label: { fa: 'بودجهٔ هر شب برای آزمون مسیرها', en: 'Budget of a night for probing routes' },
    help: {
      fa: 'هر شب مسیرها تا این مبلغ آزموده می‌شوند؛ هزینه‌اش با شماست و به هیچ مشتری نمی‌رسد. صفر یعنی آزمونی نیست.',
      en: 'Every night routes are probed for up to this much; it is your cost and no customer’s. Zero: none are.',
    },
  },
  batch_price_percent: {
    kind: 'whole',
    initial: 100,
    min: 1,
    max: 100,
    unit: 'percent',
    label: { fa: 'قیمت دسته‌ها', en: 'Price of batches' },
    help: {
      fa: 'درخواست‌های دسته با این درصد از قیمت معمول حساب می‌شوند. دسته‌ای که ساخته شده درصد خودش را نگه می‌دارد.',
      en: 'Requests of a batch cost this percentage of the usual price. A batch keeps the percentage it was made with.',
    },
  },
  own_keys: {
    kind: 'flag',
    label: { fa: 'کلید شخصی مشتری‌ها', en: 'Customers’ own keys' },
    help: {
      fa: 'مشتری کلید خودش نزد ارائه‌دهنده را ثبت می‌کند و به‌جای قیمت، فقط کارمزد می‌پردازد.',
      en: 'Customers bring their own keys at providers, and pay a fee instead of the price.',
    },
  },
  own_key_fee_percent: {
    kind: 'whole',
    initial: 5,
    min: 0,
    max: 100,
    unit: 'percent',
    label: { fa: 'کارمزد کلید شخصی', en: 'Fee for own keys' },
    help: {
      fa: 'درصدی از قیمت معمول مدل که برای درخواست با کلید شخصی گرفته می‌شود؛ ۰ یعنی رایگان.',
      en: 'Per cent of the model’s usual price that a request with an own key costs; 0: nothing.',
    },
  },
  auto_models: {
    kind: 'list',
    entry: 'model',
    maxItems: 50,
    maxLength: 200,
    nullable: true,
    label: { fa: 'مدل‌های مسیریاب خودکار', en: 'Models of the auto router' },
    help: {
      fa: 'مدل «auto» از میان این‌ها انتخاب می‌کند؛ بهترین‌ها اول. خالی یعنی «auto» نیست.',
      en: 'The model `auto` chooses among these, the best first. Empty: there is no `auto`.',
    },
  },
  list_prices_shown: {
    kind: 'flag',
    label: { fa: 'قیمت دلاری سازنده کنار قیمت تومانی', en: 'The maker’s dollar price beside toman' },
    help: {
      fa: 'در صفحهٔ هر مدل، قیمت فهرست سازنده به دلار هم دیده می‌شود. مبلغ‌ها همچنان تومان است.',
      en: 'The page of a model also shows its maker’s list price in dollars. Amounts stay in toman.',
    },
  },
  suppliers_shown: {
    kind: 'flag',
    label: { fa: 'نام ارائه‌دهنده‌ها در رسید مشتری', en: 'Names of providers on receipts' },
    help: { fa: 'خاموش: مشتری فقط «مسیر ۱، مسیر ۲» می‌بیند.', en: 'Off: customers see “route 1, route 2”.' },
  },
});
