/**
 * Reads HTML as a stream of tags: no tree is built, so depth costs nothing. Only what a visitor of the page would read
 * is kept.
 */
import type { BlockList } from './blocks.ts';
import { tagParser } from './tag-parser.ts';

const SKIPPED = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'nav',
  'iframe',
  'form',
  'button',
  'select',
]);
const BLOCKS = new Set(
  (
    'address article aside blockquote br dd div dl dt fieldset figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main ' +
    'ol p pre section table tbody tfoot thead title tr ul body html head'
  ).split(' '),
);
const HEADING = /^h([1-6])$/;

export function readHtml(html: string, into: BlockList): void {
  let text = '';
  let skippedDepth = 0;
  let level: number | undefined;
  let preformatted = 0;
  const flush = () => {
    const trimmed = withoutBars(text);
    if (trimmed !== '')
      into.add(level === undefined ? { kind: 'text', text: trimmed } : { kind: 'heading', text: trimmed, level });
    text = '';
  };
  const parser = new (tagParser())(
    {
      onopentag(name) {
        if (SKIPPED.has(name)) skippedDepth++;
        if (BLOCKS.has(name)) flush();
        if (name === 'pre') preformatted++;
        const heading = HEADING.exec(name);
        if (heading) level = Number(heading[1]);
      },
      ontext(piece) {
        if (skippedDepth === 0) text += preformatted > 0 ? piece : piece.replace(/\s+/g, ' ');
      },
      onclosetag(name) {
        if (SKIPPED.has(name)) skippedDepth = Math.max(0, skippedDepth - 1);
        if (name === 'td' || name === 'th') text += ' | ';
        if (BLOCKS.has(name)) flush();
        if (name === 'pre') preformatted = Math.max(0, preformatted - 1);
        if (HEADING.test(name)) level = undefined;
      },
    },
    { decodeEntities: true, lowerCaseTags: true },
  );
  parser.end(html);
  flush();
}

/** Removes blanks and the bars between cells from both ends. */
function withoutBars(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBar(text[start])) start++;
  while (end > start && isBar(text[end - 1])) end--;
  return text.slice(start, end);
}

function isBar(character: string | undefined): boolean {
  return character === '|' || character?.trim() === '';
}
