/** One word for one thing: what other modules import has a name of its own. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const SERVER = join(import.meta.dirname, '../../src');
const WEB = join(import.meta.dirname, '../../../web/src');
const TYPES = /^export (?:abstract )?(?:class|interface|type) (\w+)/gm;
const ALL = /^export (?:abstract |async )*(?:class|interface|type|function\*?|const|let) (\w+)/gm;

function declarations(source: string, pattern: RegExp): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  for (const file of files)
    for (const [, name = ''] of readFileSync(join(source, file), 'utf8').matchAll(pattern))
      found.set(name, [...(found.get(name) ?? []), file]);
  return found;
}

/** Folders of protocols have the same parts by the same names; that is what makes them easy to compare. */
const isOfProtocols = (file: string): boolean => file.startsWith('protocols/') && file.split('/').length > 2;

/**
 * Descriptions of routes and commands are named after what they do, as the functions behind them are; the guards of operators,
 * customers and callers register routes of the same names.
 */
const isOfGuards = (file: string): boolean => /^(?:http\/(?:admin|console|public)|cli\/commands)\//.test(file);

describe('exported types', () => {
  it('have one meaning each', () => {
    const doubled = [...declarations(SERVER, TYPES)].filter(([, files]) => {
      const rest = files.filter((file) => !isOfProtocols(file));
      return rest.length > 1 || (rest.length === 1 && files.length > 1);
    });
    expect(Object.fromEntries(doubled)).toEqual({});
  });
});

describe('exported names', () => {
  it('stand for one thing each in the server', () => {
    const doubled = [...declarations(SERVER, ALL)].filter(
      ([, files]) => files.filter((file) => !isOfProtocols(file) && !isOfGuards(file)).length > 1,
    );
    expect(Object.fromEntries(doubled)).toEqual({});
  });

  /** Every page has its texts (`useTexts`) and what it must read again after a change (`STALE`). */
  const OF_EVERY_PAGE = new Set(['useTexts', 'STALE']);

  it('stand for one thing each on the pages', () => {
    const doubled = [...declarations(WEB, ALL)].filter(([name, files]) => files.length > 1 && !OF_EVERY_PAGE.has(name));
    expect(Object.fromEntries(doubled)).toEqual({});
  });
});
