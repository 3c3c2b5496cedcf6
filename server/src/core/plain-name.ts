/**
 * A name that a person wrote, as it may stand in a message of ours: letters, marks, short numbers and single spaces. Whatever could
 * be a link, an address, a telephone number or an order to the reader's screen is gone, and the name is short, so that our
 * messages say only what we say.
 */
const MAX_CHARACTERS = 30;

export function plainName(text: string): string {
  const letters = text
    .normalize('NFKC')
    // The half-space of Persian stays where it joins two letters; every other invisible character goes.
    .replace(/(?<![\p{L}\p{M}])\u200c|\u200c(?!\p{L})/gu, ' ')
    .replace(/[^\p{L}\p{M}\p{Nd}\u200c]+/gu, ' ')
    .replace(/\p{M}{3,}/gu, '')
    .replace(/\p{Nd}(?: ?\p{Nd}){4,}/gu, ' ')
    .replace(/ +/g, ' ')
    .trim();
  return Array.from(letters).slice(0, MAX_CHARACTERS).join('').trim();
}
