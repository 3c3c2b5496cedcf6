/**
 * Cuts the run of `character` at the end of a text. A regular expression would scan every such run in the text to its
 * end.
 */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return end === text.length ? text : text.slice(0, end);
}
