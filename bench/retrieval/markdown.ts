/** Questions without an author: the headings of Markdown files, each answered by the text that stands under it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pair } from './evaluate.ts';

const MAX_FILES = 400;
const MAX_QUESTIONS = 400;

export function headingsAsQuestions(folder: string): Pair[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && /\.md$/i.test(entry.name) && !/^(changelog|license|code_of|contrib)/i.test(entry.name),
    )
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
    .slice(0, MAX_FILES);
  const pairs = new Map<string, Pair>();
  for (const file of files) {
    const name = file.split('/').at(-2) ?? '';
    for (const section of readFileSync(file, 'utf8')
      .split(/^#{2,4} /m)
      .slice(1)) {
      const [title = '', ...rest] = section.split('\n');
      const passage = prose(rest.join('\n'));
      const question = `${name} ${title.replace(/[`*_[\]()#]/g, ' ').trim()}`;
      // A heading of one word is no question, and a single line no answer.
      if (title.split(' ').length < 2 || passage.length < 120 || passage.length > 900 || pairs.has(passage)) continue;
      pairs.set(passage, { question, heading: name, passage });
    }
  }
  const all = [...pairs.values()];
  const step = Math.max(1, Math.floor(all.length / MAX_QUESTIONS));
  return all.map((pair, at) => (at % step === 0 ? pair : { ...pair, question: '' }));
}

function prose(markdown: string): string {
  return markdown
    .replace(/```[\s\S]*?```/g, ' ')
    .replace(/<[^>]{1,200}>/g, ' ')
    .replace(/\[([^\]]{0,200})\]\([^)]{0,300}\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}
