/** `noun verb id… --option value`: what was typed, before anybody knows what it means. */

export interface Typed {
  noun: string | undefined;
  verb: string | undefined;
  /** After noun and verb. */
  words: string[];
  options: Map<string, string>;
  json: boolean;
  help: boolean;
}

export class UsageError extends Error {}

export function readArguments(argv: readonly string[]): Typed {
  const words: string[] = [];
  const options = new Map<string, string>();
  let json = false;
  let help = false;
  for (let at = 0; at < argv.length; at++) {
    const item = argv[at] ?? '';
    if (item === '--json') json = true;
    else if (item === '--help' || item === '-h') help = true;
    else if (item.startsWith('--')) {
      const [name = '', given] = splitOnce(item.slice(2), '=');
      const value = given ?? argv[++at];
      if (value === undefined) throw new UsageError(`--${name} needs a value`);
      options.set(name, value);
    } else words.push(item);
  }
  const [noun, verb, ...rest] = words;
  return { noun, verb, words: rest, options, json, help };
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** Options of one command, read by name; what nobody asked for is a mistake worth hearing of. */
export class Options {
  readonly #given: ReadonlyMap<string, string>;
  readonly #known = new Set<string>();

  constructor(given: ReadonlyMap<string, string>) {
    this.#given = given;
  }

  text(name: string): string | undefined {
    this.#known.add(name);
    return this.#given.get(name);
  }

  need(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw new UsageError(`--${name} is required`);
    return value;
  }

  /** `none` lifts a limit. */
  limit(name: string): number | null | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (value === 'none') return null;
    if (!/^\d+$/.test(value)) throw new UsageError(`--${name} must be a whole number, or none`);
    return Number(value);
  }

  amount(name: string): string | null | undefined {
    const value = this.text(name);
    return value === 'none' ? null : value?.replace(/[_,]/g, '');
  }

  list(name: string): string[] | null | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    return value === 'none' ? null : value.split(',').map((item) => item.trim());
  }

  flag(name: string): boolean | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (value !== 'true' && value !== 'false') throw new UsageError(`--${name} must be true or false`);
    return value === 'true';
  }

  refuseUnread(): void {
    const unknown = [...this.#given.keys()].filter((name) => !this.#known.has(name));
    if (unknown.length > 0) throw new UsageError(`unknown option --${unknown[0]}`);
  }
}
