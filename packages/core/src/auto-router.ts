/** The model that chooses a model: its name, what may be preferred, and what is said of each model that it looked at. */
import type { Text } from './text.ts';

export const AUTO_MODEL = 'auto';
export const AUTO_PREFERENCES = ['price', 'quality', 'speed'] as const;
export type AutoPreference = (typeof AUTO_PREFERENCES)[number];

/** Why a model was chosen, stands behind the chosen one, or was left out. */
export const AUTO_REASONS = {
  chosen: { fa: 'انتخاب شد', en: 'chosen' },
  next: { fa: 'اگر انتخاب‌شده پاسخ ندهد، پرسیده می‌شود', en: 'asked when the chosen one does not answer' },
  beyond: { fa: 'مناسب است، اما سه مدل جلوتر از آن کافی بود', en: 'fits, but three before it were enough' },
  not_offered: { fa: 'اکنون عرضه نمی‌شود', en: 'not offered now' },
  not_named: { fa: 'در «svc.routing.auto.models» نیست', en: 'not in svc.routing.auto.models' },
  not_allowed: { fa: 'قوانین کلید یا حساب آن را مجاز نمی‌داند', en: 'not allowed by the rules of the key or account' },
  price: { fa: 'گران‌تر از سقف قیمت', en: 'above the highest price' },
  data: { fa: 'سیاست دادهٔ خواسته‌شده را اعلام نکرده است', en: 'does not state the demanded data policy' },
  capability: { fa: 'آنچه درخواست می‌خواهد از آن برنمی‌آید', en: 'cannot do what the request asks' },
  not_proved: { fa: 'در آزمون آنچه درخواست می‌خواهد رد شده است', en: 'fails the probe of what the request needs' },
  context: { fa: 'درخواست در کانتکستش جا نمی‌شود', en: 'the request does not fit into its context' },
} as const satisfies Record<string, Text>;

export type AutoReason = keyof typeof AUTO_REASONS;
