/**
 * A simulator that fails on request: its name says what, after a question mark. `echo?fail=tools,vision` is `echo` which calls no
 * tools and sees no pictures, and fails the conformance probes of both. `echo?cut=3` breaks its streams off after three pieces. `echo?broken=fence`
 * spoils the JSON that it is asked for: fence, comma and cut can be mended, prose, schema and refusal cannot.
 */
import type { ChatAsked } from './read-chat.ts';

export interface Flaws {
  fails(probe: string): boolean;
  /** After so many pieces of text the connection breaks; undefined: it does not. */
  cutAfter: number | undefined;
  /** What is wrong with the JSON it answers; undefined: nothing. */
  broken: string | undefined;
}

/** JSON as it comes from a model that breaks its promise. */
export function spoiled(json: string, broken: string | undefined): string {
  switch (broken) {
    case 'fence':
      return `\`\`\`json\n${json}\n\`\`\``;
    case 'comma':
      return `${json.slice(0, -1)},${json.slice(-1)}`;
    case 'cut':
      return json.replace(CLOSING, '');
    case 'prose':
      return `Here it is: ${json}`;
    case 'schema':
      return '{"another":{"thing":true}}';
    default:
      return json;
  }
}

const CLOSING = /[\]}]{1,99}$/;

const MAX_CUT = 1_000_000;

export function flawsOf({ model }: Pick<ChatAsked, 'model'>): Flaws {
  const at = model.indexOf('?');
  if (at < 0) return SOUND;
  const asked = new URLSearchParams(model.slice(at + 1));
  const failing = new Set((asked.get('fail') ?? '').split(','));
  const cut = Number(asked.get('cut') ?? 'none');
  return {
    fails: (probe) => failing.has(probe),
    cutAfter: Number.isInteger(cut) && cut >= 0 && cut < MAX_CUT ? cut : undefined,
    broken: asked.get('broken') ?? undefined,
  };
}

const SOUND: Flaws = { fails: () => false, cutAfter: undefined, broken: undefined };
