/** Reads plain text and Markdown: empty lines separate paragraphs, and Markdown's headings are kept. */
import { withoutTrailing } from '../../core/trailing.ts';
import type { BlockList } from './blocks.ts';

export function readPlain(text: string, into: BlockList): void {
  for (const paragraph of paragraphsOf(text)) into.add({ kind: 'text', text: paragraph });
}

const MAX_HEADING_LEVEL = 6;
const FENCE = /^\s*(?:```|~~~)/;
const UNDERLINE = /^(=+|-+)\s*$/;

export function readMarkdown(text: string, into: BlockList): void {
  let paragraph: string[] = [];
  let inFence = false;
  const flush = () => {
    into.add({ kind: 'text', text: paragraph.join('\n') });
    paragraph = [];
  };
  for (const line of withoutFrontMatter(text).split(/\r?\n/)) {
    if (FENCE.test(line)) inFence = !inFence;
    const heading = inFence ? undefined : headingOf(line);
    if (heading) {
      flush();
      into.add({ kind: 'heading', text: plainInline(heading.text), level: heading.level });
    } else if (!inFence && paragraph.length === 1 && UNDERLINE.test(line)) {
      // The underlined form: the line above is the heading.
      const title = paragraph[0] ?? '';
      paragraph = [];
      into.add({ kind: 'heading', text: plainInline(title), level: line.startsWith('=') ? 1 : 2 });
    } else if (!inFence && line.trim() === '') flush();
    else paragraph.push(line);
  }
  flush();
}

/** `## Title ##`: one to six marks, a blank, words, and perhaps marks once more. */
function headingOf(line: string): { text: string; level: number } | undefined {
  let level = 0;
  while (line[level] === '#') level++;
  if (level === 0 || level > MAX_HEADING_LEVEL || line[level]?.trim() !== '') return undefined;
  const words = line.slice(level).trim();
  const text = withoutTrailing(words, '#').trim();
  return text === '' ? undefined : { text, level };
}

function paragraphsOf(text: string): string[] {
  return text.split(/\r?\n[ \t]*\r?\n/);
}

function withoutFrontMatter(text: string): string {
  return text.replace(/^\ufeff?---\r?\n[\s\S]{0,20000}?\r?\n---\r?\n/, '');
}

function plainInline(text: string): string {
  return text.replace(/\[([^[\]]{0,500})\]\([^()]{0,2000}\)/g, '$1').replace(/[*_`]/g, '');
}
