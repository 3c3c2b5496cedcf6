/** Why something is refused, in both languages: keys, accounts and pages of lists. */
import type { UnmetData } from '@dargah/core/data-policy.ts';
import type { Text } from '@dargah/core/text.ts';

const OWNERS = { key: 'این کلید', account: 'حساب' };

const UNMET: Record<UnmetData, Text> = {
  training: { fa: 'آموزش‌ندادن با داده‌ها', en: 'no training' },
  retention: { fa: 'مدت نگهداری', en: 'retention' },
  region: { fa: 'منطقه', en: 'region' },
};

export const keyReasons = {
  accountPaused: {
    fa: 'این حساب موقتاً متوقف شده است و هیچ کلیدی از آن کار نمی‌کند. با پشتیبانی تماس بگیرید.',
    en: 'This account is paused, so none of its keys work. Contact support.',
  },
  tooManySecrets: (most: number): Text => ({
    fa: `این حساب همین حالا ${most} رمز کوتاه‌مدت دارد؛ صبر کنید تا تمام شوند.`,
    en: `The account has ${most} client secrets; wait until some expire.`,
  }),
  tooManyBudgets: { fa: 'بیش از ۵۰ بودجهٔ مشترک نمی‌شود.', en: 'No more than 50 shared budgets.' },
  tooManyBudgetsOfKey: (id: string): Text => ({
    fa: `کلید «${id}» در بیش از ۳ بودجهٔ مشترک نمی‌تواند باشد.`,
    en: `The key ${id} can be in no more than 3 shared budgets.`,
  }),
  noSuchKey: (id: string): Text => ({
    fa: `این حساب کلیدی با شناسهٔ «${id}» ندارد.`,
    en: `The account has no key ${id}.`,
  }),
  blockedUntil: ({ fa, en }: Text): Text => ({ fa: `تا ${fa}.`, en: `Until ${en}.` }),
  expiredAt: ({ fa, en }: Text): Text => ({ fa: `اعتبار آن ${fa} تمام شد.`, en: `It ended on ${en}.` }),
  endpointOf: (owner: 'key' | 'account', endpoint: string): Text => ({
    fa: `مسیر «${endpoint}» در فهرست مجاز ${OWNERS[owner]} نیست.`,
    en: `The endpoint ${endpoint} is not on the ${owner}'s list of allowed endpoints.`,
  }),
  streamsNotKept: {
    fa: 'قاعدهٔ این کلید می‌گوید فریم‌های استریم نگه داشته نشوند.',
    en: 'A rule of this key says that frames of streams are not kept.',
  },
  answersNotKept: {
    fa: 'قاعدهٔ این کلید می‌گوید پاسخ‌ها در کش نگه داشته نشوند.',
    en: 'A rule of this key says that answers are not cached.',
  },
  modelOf: (owner: 'key' | 'account', model: string): Text => ({
    fa: `مدل «${model}» در فهرست مجاز ${OWNERS[owner]} نیست.`,
    en: `The model ${model} is not on the ${owner}'s list of allowed models.`,
  }),
  priceAbove: (model: string, side: 'input' | 'output', price: string, limit: string): Text => ({
    fa: `قیمت ${side === 'input' ? 'ورودی' : 'خروجی'} مدل «${model}» تا ${price} تومان برای هر میلیون توکن است و سقف کلید ${limit} تومان.`,
    en: `The ${side} of ${model} costs up to ${price} toman per million tokens; the key allows ${limit}.`,
  }),
  dataUnmet: (model: string, unmet: readonly UnmetData[]): Text => ({
    fa: `هیچ مسیری از مدل «${model}» این را اعلام نکرده است: ${unmet.map((one) => UNMET[one].fa).join('، ')}.`,
    en: `No route of ${model} states what is demanded: ${unmet.map((one) => UNMET[one].en).join(', ')}.`,
  }),
  noOwnKeysFor: (provider: string): Text => ({
    fa: `برای «${provider}» کلید شخصی پذیرفته نمی‌شود.`,
    en: `Own keys are not taken for ${provider}.`,
  }),
  ownKey: {
    refused: {
      fa: 'ارائه‌دهنده این کلید را نپذیرفت؛ ذخیره نشد.',
      en: 'The provider refused this key; it was not kept.',
    },
    unreachable: {
      fa: 'به ارائه‌دهنده نرسیدیم تا کلید را امتحان کنیم؛ ذخیره نشد. کمی بعد دوباره تلاش کنید.',
      en: 'The provider could not be reached to try the key; it was not kept. Try again a little later.',
    },
  },
  ownKeyThere: {
    fa: 'برای این ارائه‌دهنده از قبل کلیدی هست؛ اول آن را حذف کنید.',
    en: 'There is a key for this provider already; remove it first.',
  },
  tooManyTries: {
    fa: 'در این ساعت کلیدهای زیادی امتحان کرده‌اید. بعداً دوباره تلاش کنید.',
    en: 'Too many keys were tried in this hour. Try again later.',
  },
  wrongId: {
    fa: 'شناسه باید ۱ تا ۶۴ حرف لاتین، رقم، نقطه، خط تیره یا زیرخط باشد.',
    en: 'An id is 1 to 64 letters, digits or . _ -',
  },
  wrongName: { fa: 'نام باید ۱ تا ۲۰۰ کاراکتر باشد.', en: 'A name must be 1 to 200 characters.' },
  wrongKeyText: {
    fa: 'متن کلید باید ۸ تا ۲۰۰ کاراکتر لاتین بدون فاصله باشد، و اگر شکل کلید ساخته‌شده را دارد سرجمعش درست باشد.',
    en: 'A key must be 8 to 200 visible ASCII characters, and one in the form of a generated key must have its checksum.',
  },
  keyTextInUse: { fa: 'این متن کلید قبلاً استفاده شده است.', en: 'This key text is already in use.' },
  noSuch: (persian: string, id: string, what: string): Text => ({
    fa: `${persian} با شناسهٔ ${id} نیست.`,
    en: `There is no ${what} '${id}'.`,
  }),
  definedInFile: { fa: 'این مورد در فایل تنظیمات تعریف شده است.', en: 'This is defined in the configuration file.' },
  wrongCursor: { fa: 'نشانگر صفحه نامعتبر است.', en: 'The page cursor is not valid.' },
  keyRevoked: { fa: 'این کلید باطل شده است.', en: 'This key is revoked.' },
} as const;
