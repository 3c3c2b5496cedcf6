/** Where in a document a passage stands, as the knowledge page and receipts say it. */
import { dictionary } from './dictionary.tsx';

const fa = {
  passage: (place: string) => `بند ${place}`,
  page: (n: string) => `صفحهٔ ${n}`,
  tokens: (n: string) => `${n} توکن`,
  score: 'امتیاز',
  gone: 'این بند دیگر در پایگاه نیست: سند حذف یا جایگزین شده است.',
};

const en: typeof fa = {
  passage: (place) => `Passage ${place}`,
  page: (n) => `page ${n}`,
  tokens: (n) => `${n} tokens`,
  score: 'Score',
  gone: 'No longer in the base: the document was removed or replaced.',
};

export const usePassageTexts = dictionary(fa, en);
