/** Where in a document a passage stands, as the knowledge page and receipts say it. */
import { dictionary } from './dictionary.tsx';

const fa = {
  passage: (place: string) => `بند ${place}`,
  page: (n: string) => `صفحهٔ ${n}`,
  slide: (n: string) => `اسلاید ${n}`,
  tokens: (n: string) => `${n} توکن`,
  score: 'امتیاز',
  gone: 'این بند دیگر در پایگاه نیست: سند حذف یا جایگزین شده است.',
};

const en: typeof fa = {
  passage: (place) => `Passage ${place}`,
  page: (n) => `page ${n}`,
  slide: (n) => `slide ${n}`,
  tokens: (n) => `${n} tokens`,
  score: 'Score',
  gone: 'No longer in the base: the document was removed or replaced.',
};

/** A presentation has slides where others have pages. */
export function pageText(texts: typeof fa, document: string | undefined, page: string): string {
  return /\.pptx$/i.test(document ?? '') ? texts.slide(page) : texts.page(page);
}

export const usePassageTexts = dictionary(fa, en);
