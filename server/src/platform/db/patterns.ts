/** Texts of people as patterns of `ilike`. */

/** Finds the text anywhere; what means something in a pattern means itself. NUL, which no column holds, finds nothing. */
export function anywhere(text: string): string {
  return `%${text.replaceAll('\0', '\uFFFD').replace(/[\\%_]/g, '\\$&')}%`;
}
