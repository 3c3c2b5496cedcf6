/**
 * A simulator that fails on request: its name says what, after a question mark. `echo?fail=tools,vision` is `echo` which calls no
 * tools and sees no pictures, and fails the conformance probes of both. `echo?cut=3` breaks its streams off after three pieces.
 */
import type { ChatAsked } from './read-chat.ts';

export interface Flaws {
  fails(probe: string): boolean;
  /** After so many pieces of text the connection breaks; undefined: it does not. */
  cutAfter: number | undefined;
}

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
  };
}

const SOUND: Flaws = { fails: () => false, cutAfter: undefined };
