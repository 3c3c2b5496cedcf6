/** Plain text and Markdown: paragraphs are parted by empty lines, and Markdown's headings are kept as such. */
import type { BlockList } from './blocks.ts';

export function readPlain(text: string, into: BlockList): void {
  for (const paragraph of paragraphsOf(text)) into.add({ kind: 'text', text: paragraph });
}

const HEADING = /^(#{1,6})\s+(.+?)\s*#*$/;
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
    const heading = inFence ? null : HEADING.exec(line);
    if (heading) {
      flush();
      into.add({ kind: 'heading', text: plainInline(heading[2] ?? ''), level: heading[1]?.length ?? 1 });
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

function paragraphsOf(text: string): string[] {
  return text.split(/\r?\n[ \t]*\r?\n/);
}

function withoutFrontMatter(text: string): string {
  return text.replace(/^\ufeff?---\r?\n[\s\S]{0,20000}?\r?\n---\r?\n/, '');
}

function plainInline(text: string): string {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[*_`]/g, '');
}
