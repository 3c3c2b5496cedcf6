/** Everything wrong with a file, collected instead of thrown: a person fixes all of it in one go. */
import type { Text } from '@dargah/core/text.ts';

/** Path of a finding about the file as a whole. */
export const WHOLE_FILE = '(file)';

export type Path = readonly (string | number)[];

/** A plain string is English, because only a terminal shows it. What the API may also answer is in both languages. */
export type Mistake = string | Text;

export interface Finding {
  /** In the usual notation: `models[2].routes[0].provider`. */
  path: string;
  /** English. */
  message: string;
  persian?: string;
  /** Line in the file, from 1; undefined when the file has no such place. */
  line: number | undefined;
}

export class Report {
  readonly mistakes: Finding[] = [];
  readonly warnings: Finding[] = [];
  readonly #lineOf: (path: Path) => number | undefined;

  constructor(lineOf: (path: Path) => number | undefined = () => undefined) {
    this.#lineOf = lineOf;
  }

  mistake(path: Path, text: Mistake): undefined {
    this.#add(this.mistakes, path, text);
    return undefined;
  }

  warning(path: Path, text: Mistake): void {
    this.#add(this.warnings, path, text);
  }

  /** A file may repeat one mistake endlessly; a longer list helps nobody. */
  #add(list: Finding[], path: Path, text: Mistake): void {
    if (list.length >= 500) return;
    const place = { path: pathText(path), line: this.#lineOf(path) };
    list.push(
      typeof text === 'string' ? { ...place, message: text } : { ...place, message: text.en, persian: text.fa },
    );
  }
}

export function pathText(path: Path): string {
  let text = '';
  for (const step of path) text += typeof step === 'number' ? `[${step}]` : text === '' ? step : `.${step}`;
  return text === '' ? WHOLE_FILE : text;
}

export function findingText({ path, message, line }: Finding): string {
  const place = line === undefined ? '' : ` (line ${line})`;
  return `${path}: ${message}${place}`;
}
