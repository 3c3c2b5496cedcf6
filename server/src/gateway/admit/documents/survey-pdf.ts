/** An upper bound for a PDF: its pages as pictures, with the text on them. */
import type { TokenCount } from '../../../core/token-estimate.ts';
import type { MediaLimits } from '../count-media.ts';
import { type ReadingBudget, Unknown } from './budget.ts';
import { SurveyedPdf } from './pdf-file.ts';
import { PageTree } from './pdf-pages.ts';
import { type PdfDictionary, PdfName, PdfString } from './pdf-syntax.ts';
import { pagePicture, TOKENS_PER_PAGE } from './unknown-document.ts';

/** Text beside the pages (notes, form values, alternative texts): some makers read it too. */
const BESIDE = ['Contents', 'V', 'ActualText', 'Alt'];
/** The part of a page's text that makers most likely count. */
const LIKELY_SHARE = 3 / 4;

export async function surveyPdf(bytes: Buffer, limits: MediaLimits, budget: ReadingBudget): Promise<TokenCount> {
  const file = await SurveyedPdf.open(bytes, budget);
  const tree = new PageTree(file, budget);
  let found = { pages: 0, tokens: 0, fullest: 0, declared: 0 };
  const single = new Set<number>();
  let beside = 0;
  for (const [number, { value }] of file.objects()) {
    if (!(value instanceof Map)) continue;
    if (isPage(value)) single.add(number);
    beside += besideIn(value);
    if (!value.has('Pages')) continue;
    const one = await tree.pagesOf(value.get('Pages'));
    if (one.pages + one.declared > found.pages + found.declared) found = one;
  }
  // Without a page it is no document that we have understood.
  const pages = Math.max(found.pages, found.declared, single.size);
  if (pages === 0 || found.pages === 0) throw new Unknown('no pages');
  const text = found.tokens + (pages - found.pages) * found.fullest + beside;
  const max = Math.max(pages * TOKENS_PER_PAGE, pages * pagePicture(limits) + text);
  const likely = Math.max(pages * TOKENS_PER_PAGE, Math.ceil(text * LIKELY_SHARE));
  return { likely: Math.min(likely, max), max: Math.min(max, Number.MAX_SAFE_INTEGER) };
}

function isPage(value: PdfDictionary): boolean {
  const type = value.get('Type');
  return type instanceof PdfName && type.name === 'Page';
}

function besideIn(value: PdfDictionary): number {
  let bytes = 0;
  for (const name of BESIDE) {
    const text = value.get(name);
    if (text instanceof PdfString) bytes += text.bytes.length;
  }
  return bytes;
}
