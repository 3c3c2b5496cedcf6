/**
 * How many tokens a document has at most: what it declares or what is found in it, whichever is more. Parsing is
 * bounded in bytes and done in turns. A document that does not fit, is encrypted or is not understood is unknown, never
 * small.
 */
import type { MediaSource } from '../../../core/chat.ts';
import type { TokenCount } from '../../../core/token-estimate.ts';
import { countSound, type MediaLimits } from '../count-media.ts';
import { countInTurns } from '../count-waiting.ts';
import { ReadingBudget, Unknown } from './budget.ts';
import { surveyArchive } from './survey-archive.ts';
import { surveyPdf } from './survey-pdf.ts';

const PDF_TYPE = /^application\/pdf/i;
/** Readers look for it within the first kilobyte. */
const PDF_SIGNATURE = '%PDF-';
const PDF_SIGNATURE_WITHIN = 1_024;
const ZIP_SIGNATURE = 'PK\x03\x04';
const RTF_SIGNATURE = '{\\rtf';

/** Returns undefined when the size cannot be known. */
export async function surveyDocument(
  { mediaType, data }: Extract<MediaSource, { kind: 'data' }>,
  limits: MediaLimits,
): Promise<TokenCount | undefined> {
  if (/^audio\//i.test(mediaType)) return countSound(data);
  // The length of a film cannot be told from its size.
  if (/^video\//i.test(mediaType)) return undefined;
  const bytes = Buffer.from(data, 'base64');
  const surveys: Promise<TokenCount>[] = [];
  try {
    const budget = new ReadingBudget();
    const head = bytes.toString('latin1', 0, PDF_SIGNATURE_WITHIN);
    // A file can be a PDF and a Zip at the same time, and a provider may read it as either.
    if (PDF_TYPE.test(mediaType) || head.includes(PDF_SIGNATURE)) surveys.push(surveyPdf(bytes, limits, budget));
    if (head.startsWith(ZIP_SIGNATURE)) surveys.push(surveyArchive(bytes, limits, budget));
    if (head.startsWith(RTF_SIGNATURE)) surveys.push(countInTurns(bytes.toString('latin1')));
    const found = await Promise.all(surveys);
    if (found.length === 0) return undefined;
    return { likely: Math.max(...found.map((one) => one.likely)), max: Math.max(...found.map((one) => one.max)) };
  } catch (error) {
    if (error instanceof Unknown) return undefined;
    throw error;
  }
}
