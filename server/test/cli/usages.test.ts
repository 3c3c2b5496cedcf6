/** What the help of a command promises, the command takes: each option of every usage line, with those it stands beside. */
import { describe, expect, it } from 'vitest';
import { NOUNS, run } from '../../src/cli/run.ts';

interface Option {
  name: string;
  value: string;
}

const VALUES: Record<string, string> = {
  true: 'true',
  'true|false': 'true',
  N: '5',
  TOMAN: '5',
  AMOUNT: '5',
  '0.1': '0.1',
  '0.1|none': '0.1',
  'JSON|@FILE': '{}',
  'URL|FILE': 'https://lists.example/models.json',
  TIME: '2027-03-21T00:00:00Z',
};

/** Of `a --b X [--c Y [--d Z]]`: `--b`, `--b --c` and `--b --c --d`. */
function promised(usage: string): Option[][] {
  const sets: Option[][] = [];
  const open: Option[][] = [[]];
  const within = () => open.flat();
  for (const [token] of usage.matchAll(/\[|\]|--[\w-]+ [^\s[\]]+/g)) {
    const innermost = open.at(-1) as Option[];
    if (token === '[') open.push([]);
    else if (token === ']') open.pop();
    else {
      // `--a X|--b Y` are alternatives: each is taken alone.
      const choices = token.split('|--').map((text) => text.replace(/^--/, ''));
      const [name = '', placeholder = ''] = (choices[0] as string).split(' ');
      innermost.push({ name, value: VALUES[placeholder] ?? 'text' });
      sets.push(within());
    }
  }
  return sets.length === 0 ? [[]] : sets;
}

const CASES = Object.entries(NOUNS).flatMap(([noun, { verbs }]) =>
  Object.entries(verbs).flatMap(([verb, { usage }]) =>
    promised(usage)
      // All that must be given is given: a set without it would be refused for that.
      .filter((set) => mustBeGiven(usage).every((name) => set.some((option) => option.name === name)))
      .map((set) => ({
        noun,
        verb,
        words: wordsOf(usage),
        set,
        line: [noun, verb, ...set.map(({ name }) => `--${name}`)].join(' '),
      })),
  ),
);

/** As many as the usage names: `add ACCOUNT AMOUNT [--note TEXT]` has two. */
function wordsOf(usage: string): string[] {
  const before = usage.split(/[[\s]--/)[0] ?? '';
  return [...before.matchAll(/\b[A-Z]{2,}\b/g)].map(([name]) => (name === 'AMOUNT' ? '5' : 'one/two'));
}

function mustBeGiven(usage: string): string[] {
  let depth = 0;
  const names: string[] = [];
  for (const [token] of usage.matchAll(/\[|\]|--[\w-]+/g)) {
    if (token === '[') depth++;
    else if (token === ']') depth--;
    else if (depth === 0) names.push(token.slice(2));
  }
  return names;
}

describe('the command line takes what its help promises', () => {
  it.each(CASES)('$line', async ({ noun, verb, words, set }) => {
    const complaints: string[] = [];
    const answer = { id: 'x', ok: true, data: [], next: null };
    const code = await run([noun, verb, ...words, ...set.flatMap(({ name, value }) => [`--${name}`, value])], {
      variables: {},
      connect: async () => ({ call: async () => answer, close: async () => undefined }),
      print: () => undefined,
      complain: (text) => complaints.push(text),
      readInput: async () => 'text',
    });
    expect(code, complaints.join('\n')).not.toBe(2);
  });
});
