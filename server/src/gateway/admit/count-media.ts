/**
 * How many tokens there are in what is no text: pictures, documents, sound, encrypted reasoning. Makers count them by size,
 * pages and seconds, of which a request says little, so the likely count and the count for a hold lie far apart.
 */
import type { MediaSource } from '../../core/chat.ts';
import { pictureSize } from '../../core/picture-size.ts';
import type { TokenCount } from '../../core/token-estimate.ts';
import { measureSeconds } from '../../protocols/index.ts';
import type { PictureTokens } from '../../vendors/index.ts';

/** Between OpenAI's 765 and Anthropic's 1,600 for a full-size picture. */
const TOKENS_PER_PICTURE = 1_100;
const TOKENS_PER_SMALL_PICTURE = 85;
/** Some makers count no picture for less, however small it is. */
const LEAST_PER_PICTURE = 1_120;

/** A page of a PDF is about 60 KB of base64 and 2,000 tokens; a second of film is as many bytes to its tokens. */
const FILE_CHARACTERS_PER_TOKEN = 30;
const TOKENS_PER_PAGE = 2_000;
/** Nobody sees how many pages are packed into a file, and behind an address not even its bytes: a hold is for ten at least. */
const LEAST_PER_DOCUMENT = 10 * TOKENS_PER_PAGE;

/** OpenAI counts 10 tokens a second, Google 32. */
const LIKELY_PER_SECOND = 10;
const MOST_PER_SECOND = 32;
/** What the model said earlier, named by its id alone: half a minute as a rule, and seven minutes for a hold. */
const EARLIER_ANSWER: TokenCount = { likely: 300, most: 4_200 };
/** Encrypted text is base64 and longer than what it hides, which only its provider can read. */
const ENCRYPTED_CHARACTERS_PER_TOKEN = 6;
/** Of a recording its two ends are enough to know how long it is. */
const END_CHARACTERS = 64 * 1024;

/** Only some providers honour `detail: low`, so a hold does not rely on it. */
export function countPicture(source: MediaSource, isSmall: boolean, pictures: PictureTokens): TokenCount {
  const size = source.kind === 'data' ? pictureSize(source.data) : undefined;
  const tokens = size ? Math.ceil((size.width * size.height) / pictures.pixelsPerToken) : pictures.most;
  return {
    likely: isSmall ? TOKENS_PER_SMALL_PICTURE : TOKENS_PER_PICTURE,
    most: Math.max(LEAST_PER_PICTURE, Math.min(tokens, pictures.most)),
  };
}

/** What a file says as plain text; undefined where it is packed, or is not here. */
export function textInside(source: MediaSource): string | undefined {
  if (source.kind !== 'data' || PACKED_TYPE.test(source.mediaType)) return undefined;
  if (!TEXT_TYPE.test(source.mediaType) && PACKED_DATA.test(source.data)) return undefined;
  return Buffer.from(source.data, 'base64').toString('utf8');
}

/** Of these a provider reads what is packed inside, whatever the bytes look like. */
const PACKED_TYPE = /^(?:image|audio|video)\/|^application\/(?:pdf|msword|rtf|vnd\.)/i;
const TEXT_TYPE = /^text\//i;
/** The beginnings of PDF, Zip and older office files in base64. */
const PACKED_DATA = /^(?:JVBERi|UEsDB|0M8R4K)/;

export function countDocument(source: MediaSource, pictures: () => PictureTokens): TokenCount {
  if (source.kind !== 'data') return { likely: TOKENS_PER_PAGE, most: LEAST_PER_DOCUMENT };
  if (/^image\//i.test(source.mediaType)) return countPicture(source, false, pictures());
  const likely = Math.ceil(source.data.length / FILE_CHARACTERS_PER_TOKEN);
  return { likely, most: Math.max(likely, LEAST_PER_DOCUMENT) };
}

export function countSound(data: string): TokenCount {
  if (data === '') return EARLIER_ANSWER;
  const head = Buffer.from(data.slice(0, END_CHARACTERS), 'base64');
  // Base64 can be read from every fourth character on.
  const tail = Buffer.from(data.slice(Math.max(0, (data.length - END_CHARACTERS) & ~3)), 'base64');
  const seconds = measureSeconds({ head, tail, size: Math.floor((data.length * 3) / 4) });
  return { likely: seconds * LIKELY_PER_SECOND, most: seconds * MOST_PER_SECOND };
}

export function countEncrypted(data: string): number {
  return Math.ceil(data.length / ENCRYPTED_CHARACTERS_PER_TOKEN);
}
