/** What a page costs, and what is held for a document that cannot be parsed. */
import type { MediaSource } from '../../../core/chat.ts';
import type { TokenCount } from '../../../core/token-estimate.ts';
import type { MediaLimits } from '../count-media.ts';

/** A page of a PDF is about 60 KB of base64; a second of film has about as many bytes per token. */
const FILE_CHARACTERS_PER_TOKEN = 30;
/** Makers read a page as a picture and as its text. A page with little text is about this many tokens. */
export const TOKENS_PER_PAGE = 2_000;
/** The size to which pages are usually rendered as pictures. */
const PAGE_PIXELS = 1_400_000;
/** The text of a page that is printed as densely as people can read. */
const DENSE_PAGE = 4_000;

/** A page's picture alone. */
export function pagePicture({ pictures }: MediaLimits): number {
  return Math.min(pictures.max, Math.ceil(PAGE_PIXELS / pictures.pixelsPerToken));
}

/** The smaller of two bounds: the model's context, and as many pages as its maker accepts. */
export function unknownDocument(source: MediaSource, limits: MediaLimits): TokenCount {
  const data = source.kind === 'data' ? source.data : '';
  const pages = limits.pageLimit * (pagePicture(limits) + DENSE_PAGE);
  const max = Math.min(limits.inputLimit, pages);
  const likely = data === '' ? TOKENS_PER_PAGE : Math.ceil(data.length / FILE_CHARACTERS_PER_TOKEN);
  return { likely: Math.min(likely, max), max };
}
