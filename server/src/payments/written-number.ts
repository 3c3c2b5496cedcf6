/** Numbers as people write and copy them. */

import { plainDigits } from '@dargah/core/persian-text.ts';

/**
 * Converts a number to Latin digits, whatever script it was written in, without the spaces, dashes and invisible marks
 * that people put between them; null when nothing is left. Two spellings of one number become the same text.
 */
export function plainNumber(written: string | null | undefined): string | null {
  const latin = plainDigits(written ?? '');
  const plain = latin.replace(/[\s\p{Dash_Punctuation}\p{Format}\u2212]/gu, '');
  return plain === '' ? null : plain;
}
