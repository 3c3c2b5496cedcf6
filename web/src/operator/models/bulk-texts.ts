/** Texts for changing several models at once, and for reading the catalog again. */
import { dictionary } from '../../texts/dictionary.tsx';

const fa = {
  choose: (id: string) => `انتخاب ${id}`,
  chosen: (n: string) => `${n} مدل انتخاب شده`,
  working: 'در حال انجام',
  done: (n: string) => `برای ${n} مدل انجام شد.`,
  doneOf: (done: string, all: string) => `${done} از ${all}`,
  on: 'روشن کردن',
  off: 'خاموش کردن',
  unpin: (n: string) => `لغو قیمت ثابت (${n})`,
  none: 'هیچ‌کدام',
  price: 'تغییر قیمت…',
  priceTitle: 'تغییر قیمت چند مدل',
  percent: 'چند درصد',
  percentHint: 'منفی یعنی ارزان‌تر. قیمت جدید هر مدل ثابت می‌ماند تا لغوش کنید.',
  apply: 'اعمال قیمت‌ها',
  model: 'مدل',
  input: 'ورودی، تومان',
  output: 'پاسخ، تومان',
  refresh: 'خواندن دوبارهٔ فهرست',
  refreshing: 'فهرست و قیمت‌ها دوباره خوانده می‌شوند',
  refreshed: (n: string) => `فهرست دوباره خوانده شد؛ ${n} قیمت جدید.`,
  unchanged: 'فهرست دوباره خوانده شد؛ چیزی عوض نشد.',
};

const en: typeof fa = {
  choose: (id) => `Choose ${id}`,
  chosen: (n) => `${n} models chosen`,
  working: 'Working',
  done: (n) => `Done for ${n} models.`,
  doneOf: (done, all) => `${done} of ${all}`,
  on: 'Switch on',
  off: 'Switch off',
  unpin: (n) => `Unpin prices (${n})`,
  none: 'None',
  price: 'Change prices…',
  priceTitle: 'Change the prices of several models',
  percent: 'By how many per cent',
  percentHint: 'Negative is cheaper. Each new price stays pinned until it is unpinned.',
  apply: 'Apply these prices',
  model: 'Model',
  input: 'Input, toman',
  output: 'Answer, toman',
  refresh: 'Reload the catalog',
  refreshing: 'Models and prices are being reloaded',
  refreshed: (n) => `The catalog was reloaded; ${n} new prices.`,
  unchanged: 'The catalog was reloaded; nothing changed.',
};

export const useBulkTexts = dictionary(fa, en);
