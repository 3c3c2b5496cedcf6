/** Splits `noun verb id… --option value` into words and options, before any command interprets them. */
import { parseArgs } from 'node:util';

export interface Typed {
  noun: string | undefined;
  verb: string | undefined;
  /** The positional arguments after noun and verb. */
  words: string[];
  options: Map<string, string>;
  json: boolean;
  help: boolean;
}

export class UsageError extends Error {}

export function readArguments(argv: readonly string[]): Typed {
  const { positionals, tokens } = parseArgs({
    args: [...argv],
    options: {
      ...withValues(argv),
      json: { type: 'boolean' },
      whole: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
    // An unknown option is accepted here: each command knows its own options and refuses the rest
    // (Options.refuseUnread).
    strict: false,
    tokens: true,
  });
  const options = new Map<string, string>();
  const switches = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    if (token.name === 'json' || token.name === 'help') switches.add(token.name);
    else if (token.name === 'whole') options.set(token.name, 'true');
    else if (token.value === undefined) throw new UsageError(`--${token.name} needs a value`);
    else options.set(token.name, token.value);
  }
  const [noun, verb, ...words] = positionals;
  return { noun, verb, words, options, json: switches.has('json'), help: switches.has('help') };
}

/** Every option except the switches takes a value. */
function withValues(argv: readonly string[]): Record<string, { type: 'string' }> {
  const names = argv
    .filter((item) => item.startsWith('--') && item !== '--')
    .map((item) => item.slice(2).split('=')[0] ?? '');
  return Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
}

/** Options of one command, read by name; an option that the command never read is reported as a mistake. */
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
