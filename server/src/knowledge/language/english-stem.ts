/**
 * Reduces English words to their Porter2 stems: one for the usual inflections of a word, different ones for different
 * words.
 */
import porter2 from 'wink-porter2-stemmer';

export function stemEnglish(word: string): string {
  return porter2(word);
}
