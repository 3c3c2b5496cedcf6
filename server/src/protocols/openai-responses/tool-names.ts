/**
 * `namespace` tools hold tools of their own. Other protocols know flat names only, so a tool inside one is called
 * `<namespace>__<name>` everywhere but in this protocol, and gets its two names back on the way to the client.
 */
import type { Tool } from '../../core/chat.ts';
import { kept } from './own-fields.ts';
import { cutWithDigest } from './short-digest.ts';

/** The narrowest limit among the protocols. */
const MAX_FLAT_NAME = 64;
const REFUSED_CHARACTERS = /[^a-zA-Z0-9_-]/g;

export function flatName(namespace: string | undefined, name: string): string {
  if (namespace === undefined) return name;
  const joined = `${namespace}__${name}`;
  const flat = joined.replace(REFUSED_CHARACTERS, '_');
  // The last `__` must be ours: `a` + `b__c` and `a__b` + `c` are two tools.
  const isClear = !name.startsWith('_') && !name.includes('__');
  if (isClear && flat === joined && flat.length <= MAX_FLAT_NAME) return flat;
  // What had to be changed or cut could meet another name; a digest of both names keeps them apart.
  return cutWithDigest(flat, `${namespace}\n${name}`, MAX_FLAT_NAME);
}

/** The names under which this protocol knows a tool. */
export function ownName(tool: Tool): string {
  const name = kept(tool)?.['name'];
  return typeof name === 'string' ? name : tool.name;
}

export interface OwnNames {
  name: string;
  namespace?: string;
  custom?: boolean;
}

/** Turns the flat name a model called back into its own names; a name that is in no namespace is its own. */
export function namesOf(flat: string, tools: readonly Tool[]): OwnNames {
  const tool = tools.find((candidate) => candidate.name === flat);
  if (!tool) return { name: flat };
  return {
    name: ownName(tool),
    ...(tool.namespace !== undefined && { namespace: tool.namespace }),
    ...(tool.kind === 'custom' && { custom: true }),
  };
}
