/** Documents for developers name files; a file that was moved or removed is named no more. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
/** Documents leave out what every path of their subject begins with. */
const BEGINNINGS = [
  '',
  'docs',
  'server',
  'server/src',
  'server/src/gateway',
  'server/packages/http-client/src',
  'web/src',
];
const NAMED = /`([a-z][\w./-]*\.(?:ts|tsx|mjs|cjs|lua|md)|(?:server|web|packages|tools|bench|deploy)\/[\w./-]*\/)`/g;
const exists = (path: string): boolean => BEGINNINGS.some((beginning) => existsSync(join(ROOT, beginning, path)));

const DOCUMENTS = [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'docs/debugging.md',
  'docs/glossary.md',
  'docs/performance.md',
  'docs/security.fa.md',
  'docs/security.md',
  'web/README.md',
  ...readdirSync(join(ROOT, 'docs/adr')).map((name) => `docs/adr/${name}`),
];

describe('a file that is named', () => {
  it.each(DOCUMENTS)('in %s is there', (document) => {
    const text = readFileSync(join(ROOT, document), 'utf8');
    const missing = [...text.matchAll(NAMED)].map(([, path = '']) => path).filter((path) => !exists(path));
    expect(missing).toEqual([]);
  });

  it('as a room of the tree is there, and every room is in the tree', () => {
    const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
    const tree = text.slice(text.indexOf('server/src/\n'), text.indexOf('server/packages/ '));
    const drawn = [...tree.matchAll(/^ {2}([a-z]+)\/ /gm)].map(([, room]) => room);
    const rooms = readdirSync(join(ROOT, 'server/src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const unnamed = ['cli', 'wiring'];
    expect(drawn.sort()).toEqual(
      rooms
        .map(({ name }) => name)
        .filter((name) => !unnamed.includes(name))
        .sort(),
    );
  });

  it('every domain of the layer rules is in the diagram of the rooms', () => {
    const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
    const diagram = text.slice(text.indexOf('```mermaid'), text.indexOf('Imports point one way only'));
    const domains = /const DOMAINS =\s+'([^']+)'/
      .exec(readFileSync(join(ROOT, 'tools/layers.cjs'), 'utf8'))?.[1]
      ?.split('|');
    expect(domains?.filter((domain) => !new RegExp(`\\b${domain}\\b`).test(diagram))).toEqual([]);
  });
});
