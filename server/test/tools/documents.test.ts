/** Documents name files, commands, variables and each other; what was moved, renamed or removed is named no more. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
const exists = (from: string, path: string): boolean =>
  [dirname(from), ...BEGINNINGS].some((beginning) => existsSync(join(ROOT, beginning, path)));

const namesIn = (folder: string, ending: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending) && !/(^|\/)(node_modules|dist)\//.test(name))
    .map((name) => join(folder, name));

/** All but those that tell what once was. */
const DOCUMENTS = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  'web/README.md',
  ...readdirSync(join(ROOT, 'server/packages')).map((name) => `server/packages/${name}/README.md`),
  ...namesIn('docs', '.md'),
].filter((path) => path !== 'CHANGELOG.md' && path !== 'docs/performance-log.md');

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const found = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name);

/** As the forge makes anchors of headings: without punctuation and joiners. */
const anchorsOf = (text: string): string[] =>
  found(text, /^#+ (.+)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

function linkIsBroken(from: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? from : join(dirname(from), path);
  if (!existsSync(join(ROOT, target))) return true;
  if (anchor === undefined || !target.endsWith('.md')) return false;
  return !anchorsOf(read(target)).includes(decodeURIComponent(anchor));
}

/** Everything that a variable, a metric or a setting can be read or made by. */
const PROGRAM = [
  ...['.ts', '.mjs', '.yml', '.example', '.json'].flatMap((ending) =>
    ['server/src', 'server/bin', 'server/test', 'packages', 'tools', 'bench', 'deploy'].flatMap((folder) =>
      namesIn(folder, ending),
    ),
  ),
  'compose.yaml',
  'Dockerfile',
]
  .map(read)
  .join('\n');

describe('what documents name', () => {
  it.each(DOCUMENTS)('%s: files are there', (document) => {
    expect(found(read(document), NAMED).filter((path) => !exists(document, path))).toEqual([]);
  });

  it.each(DOCUMENTS)('%s: links lead somewhere', (document) => {
    const text = read(document).replace(/```[\s\S]*?```/g, '');
    // Addresses that begin with a slash are pages of the service: the guide is one of them.
    const links = found(text, /\]\(([^)\s]+)\)/g).filter((link) => !/^(https?:|mailto:|\/)/.test(link));
    expect(links.filter((link) => linkIsBroken(document, link))).toEqual([]);
  });

  it.each(DOCUMENTS)('%s: scripts, variables, metrics and settings exist', (document) => {
    const text = read(document);
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const names = [
      ...found(text, /\b(DARGAH_[A-Z0-9_]*[A-Z0-9])\b/g),
      ...found(text, /\b(dargah_[a-z0-9_]*[a-z0-9])\b/g),
      ...found(text, /\bsettings\.([a-z][a-z0-9_]+)\b/g),
    ];
    expect(found(text, /npm run (?:-s )?([\w:-]+)/g).filter((name) => scripts[name] === undefined)).toEqual([]);
    expect(names.filter((name) => !PROGRAM.includes(name))).toEqual([]);
  });
});

describe('the decisions', () => {
  const folder = readdirSync(join(ROOT, 'docs/adr')).filter((name) => /^\d{4}-.*\.md$/.test(name));

  it('are all in the index, each by its title', () => {
    const listed = [...read('docs/adr/README.md').matchAll(/^\| \[(\d{4})\]\(([^)]+)\) \| (.+) \|$/gm)];
    expect(listed.map(([, , file]) => file)).toEqual(folder.sort());
    for (const [, number, file, title] of listed)
      expect(read(`docs/adr/${file}`).split('\n', 1)[0]).toBe(`# ${number}: ${title}`);
  });
});

describe('the map', () => {
  const text = read('ARCHITECTURE.md');
  const tree = text.slice(text.indexOf('packages/ '), text.indexOf('```mermaid'));

  it('draws every room, and no other', () => {
    const server = tree.slice(tree.indexOf('server/src/\n'), tree.indexOf('server/packages/ '));
    const drawn = found(server, /^ {2}([a-z]+)\/ /gm);
    const rooms = readdirSync(join(ROOT, 'server/src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const unnamed = ['cli', 'wiring'];
    expect(drawn.sort()).toEqual(
      rooms
        .map(({ name }) => name)
        .filter((name) => !unnamed.includes(name))
        .sort(),
    );
  });

  it('names files that are there', () => {
    const files = ['server/src', 'packages'].flatMap((folder) => namesIn(folder, '.ts'));
    const named = found(tree, /([a-z][\w-]*\.ts)\b/g);
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((name) => !files.some((file) => file.endsWith(`/${name}`)))).toEqual([]);
  });

  it('has every domain of the layer rules in the diagram of the rooms', () => {
    const diagram = text.slice(text.indexOf('```mermaid'), text.indexOf('Imports point one way only'));
    const domains = /const DOMAINS =\s+'([^']+)'/.exec(read('tools/layers.cjs'))?.[1]?.split('|');
    expect(domains?.filter((domain) => !new RegExp(`\\b${domain}\\b`).test(diagram))).toEqual([]);
  });
});
