/** One word for one thing: a type that other modules import has a name of its own in the whole server. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const SOURCE = join(import.meta.dirname, '../../src');
const DECLARED = /^export (?:abstract )?(?:class|interface|type) (\w+)/gm;

function declarations(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  for (const file of files)
    for (const [, name = ''] of readFileSync(join(SOURCE, file), 'utf8').matchAll(DECLARED))
      found.set(name, [...(found.get(name) ?? []), file]);
  return found;
}

/** Folders of protocols have the same parts by the same names; that is what makes them easy to compare. */
const isOfProtocols = (file: string): boolean => file.startsWith('protocols/') && file.split('/').length > 2;

describe('exported types', () => {
  it('have one meaning each', () => {
    const doubled = [...declarations()].filter(([, files]) => {
      const rest = files.filter((file) => !isOfProtocols(file));
      return rest.length > 1 || (rest.length === 1 && files.length > 1);
    });
    expect(Object.fromEntries(doubled)).toEqual({});
  });
});
