/**
 * Tokens of what is not text: pictures, sound, encrypted reasoning. Makers count them by size and seconds. A header
 * that states less than its data holds is not believed. Documents are parsed (documents/).
 */
import type { MediaSource } from '../../core/chat.ts';
import { pictureSize } from '../../core/picture-size.ts';
import type { TokenCount } from '../../core/token-estimate.ts';
import { endsOf, maxSeconds, measureSeconds } from '../../protocols/index.ts';
import { ANY_PAGES, ANY_PICTURE, type PictureTokens } from '../../vendors/index.ts';

/** The largest inputs that the models of a request take. */
export interface MediaLimits {
  pictures: PictureTokens;
  /** Tokens that a model reads in one request; infinite where it is unknown. */
  inputLimit: number;
  /** Pages of documents in one request. */
  pageLimit: number;
}

export const ANY_MEDIA: MediaLimits = {
  pictures: ANY_PICTURE,
  inputLimit: Number.POSITIVE_INFINITY,
  pageLimit: ANY_PAGES,
};

/** Between OpenAI's 765 and Anthropic's 1,600 for a full-size picture. */
const TOKENS_PER_PICTURE = 1_100;
const TOKENS_PER_SMALL_PICTURE = 85;
/** Some makers count no picture for less, however small it is. */
const MIN_PER_PICTURE = 1_120;

/** OpenAI counts 10 tokens a second, Google 32. */
const LIKELY_PER_SECOND = 10;
const MAX_PER_SECOND = 32;
/** Earlier audio of the model, referred to by its id: half a minute as a rule, and seven minutes for a hold. */
const EARLIER_ANSWER: TokenCount = { likely: 300, max: 4_200 };
/** Encrypted reasoning is base64 and longer than its text, which only its provider can decrypt. */
const ENCRYPTED_CHARACTERS_PER_TOKEN = 6;

/** Only some providers honour `detail: low`, so a hold does not rely on it. */
export function countPicture(source: MediaSource, isSmall: boolean, pictures: PictureTokens): TokenCount {
  const size = source.kind === 'data' ? pictureSize(source.data) : undefined;
  const tokens = size ? Math.ceil((size.width * size.height) / pictures.pixelsPerToken) : pictures.max;
  return {
    likely: isSmall ? TOKENS_PER_SMALL_PICTURE : TOKENS_PER_PICTURE,
    max: Math.max(MIN_PER_PICTURE, Math.min(tokens, pictures.max)),
  };
}

/** The plain text of a file; undefined where it is compressed, or only an address. */
export function textInside(source: MediaSource): string | undefined {
  if (source.kind !== 'data' || PACKED_TYPE.test(source.mediaType)) return undefined;
  if (!TEXT_TYPE.test(source.mediaType) && isPackedData(source.data)) return undefined;
  return Buffer.from(source.data, 'base64').toString('utf8');
}

/** A picture that was sent as a file. A PDF labelled as a picture is not one. */
export function isPictureFile({ mediaType, data }: { mediaType: string; data: string }): boolean {
  return /^image\//i.test(mediaType) && !isPackedData(data);
}

/** Formats of which a provider reads the packed content, whatever the bytes look like. */
const PACKED_TYPE = /^(?:image|audio|video)\/|^application\/(?:pdf|msword|epub|vnd\.)/i;
const TEXT_TYPE = /^text\//i;
/** The beginnings of Zip and older office files in base64. */
const PACKED_DATA = /^(?:UEsDB|0M8R4K)/;
/** Readers look for the beginning of a PDF within its first kilobyte. */
const PDF_HEAD_CHARACTERS = 1_372;

/** Whether it begins like a document of which a provider reads the packed content. */
export function isPackedData(base64: string): boolean {
  if (PACKED_DATA.test(base64)) return true;
  return Buffer.from(base64.slice(0, PDF_HEAD_CHARACTERS), 'base64').includes('%PDF-');
}

export function countSound(data: string): TokenCount {
  if (data === '') return EARLIER_ANSWER;
  const file = Buffer.from(data, 'base64');
  const likely = measureSeconds(endsOf(file));
  return { likely: likely * LIKELY_PER_SECOND, max: maxSeconds(file) * MAX_PER_SECOND };
}

export function countEncrypted(data: string): number {
  return Math.ceil(data.length / ENCRYPTED_CHARACTERS_PER_TOKEN);
}
