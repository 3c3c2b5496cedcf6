/** Everything wrong with a file, collected instead of thrown: a person fixes all of it in one go. */
import { nearestName } from '../../core/nearest-name.ts';

/** Path of a finding about the file as a whole. */
export const WHOLE_FILE = '(file)';

export type Path = readonly (string | number)[];

export interface Finding {
  /** As one would write it: `models[2].routes[0].provider`. */
  path: string;
  message: string;
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

  mistake(path: Path, message: string): undefined {
    this.#add(this.mistakes, path, message);
    return undefined;
  }

  warning(path: Path, message: string): void {
    this.#add(this.warnings, path, message);
  }

  /** A file may repeat one mistake without end; more than this helps nobody. */
  #add(list: Finding[], path: Path, message: string): void {
    if (list.length < 500) list.push({ path: pathText(path), message, line: this.#lineOf(path) });
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

/** ` (did you mean "mock-openai"?)`, or nothing when no known name is near. */
export function suggestion(wrong: string, known: Iterable<string>): string {
  const near = nearestName(wrong, known);
  return near === undefined ? '' : ` (did you mean "${near}"?)`;
}
