/**
 * A release: everything built, the packages it runs with, its licences and its parts list, in one archive.
 *   npm run release                         release/dargah-<version>.tgz, and the version in server/migrations/released.json
 *   node tools/release.mjs --into FOLDER    the same as a folder, of any state (the image does this): nothing is released
 * Refused are a version that exists, one without a dated section in CHANGELOG.md, and an "Unreleased" that is not empty. From then
 * on its migrations never change; commit released.json, then make its fixture (tools/make-upgrade-fixture.mjs).
 * The archive is a package: `npx "file:$PWD/dargah-<version>.tgz" start` runs it.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from '../server/bin/build.mjs';
import { buildWebIfStale } from '../server/bin/build-web.mjs';
import { folderFaults, readFolder, readReleased } from './check-migrations.mjs';
import { refusals, withVersion } from './release/may-release.mjs';
import { runtimePackages } from './release/packages.mjs';
import { licenceList, partsList } from './release/parts-list.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** Needed to build, never to run: the builder, and what is bundled into the server. */
const BUILD_ONLY = new Set(['esbuild', 'typebox', '@dargah/api', '@dargah/core']);
const UNUSED_FILE =
  /\.(map|d\.[cm]?ts|ts|flow|markdown)$|[.-](standalone|browser|umd)\b|^(CHANGELOG|HISTORY|README|CONTRIBUTING)(\.|$)/i;
const UNUSED_FOLDER = new Set([
  'test',
  'tests',
  '__tests__',
  'docs',
  'example',
  'examples',
  'benchmark',
  'benchmarks',
  '.github',
  '.yarn',
]);

async function main() {
  const at = process.argv.indexOf('--into');
  const folder = at > 0 ? process.argv[at + 1] : join(root, 'release', 'package');
  if (folder === undefined) throw new Error('--into needs a folder');
  if (at < 0) noteRelease();
  await buildIfStale();
  await buildWebIfStale();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const packages = runtimePackages(root, BUILD_ONLY);
  copyProgram(folder);
  for (const { path } of packages) copyPackage(path, folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(releaseManifest(packages), null, 2));
  writeFileSync(join(folder, 'LICENCES.txt'), licenceList(packages, root));
  writeFileSync(join(folder, 'sbom.cdx.json'), JSON.stringify(partsList(manifest, packages), null, 2));
  console.log(`${packages.length} packages, ${manifest.name} ${manifest.version} in ${folder}`);
  if (at < 0) console.log(pack(folder));
}

/** Before anything is built: the archive carries the list. */
function noteRelease() {
  const [files, released] = [readFolder(), readReleased()];
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const reasons = [...refusals({ version: manifest.version, changelog, released }), ...folderFaults(files, released)];
  if (reasons.length > 0) {
    for (const reason of reasons) console.error(reason);
    process.exit(1);
  }
  const list = `${JSON.stringify(withVersion(released, manifest.version, files), null, 2)}\n`;
  writeFileSync(join(root, 'server/migrations/released.json'), list);
}

function copyProgram(folder) {
  for (const name of [
    'LICENSE',
    'README.md',
    'config.example.yaml',
    'server/package.json',
    'server/bin',
    'server/migrations',
    'server/fonts',
  ])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  for (const name of ['server/dist', 'web/dist', 'docs/operations', 'deploy'])
    if (existsSync(join(root, name)))
      cpSync(join(root, name), join(folder, name), {
        recursive: true,
        filter: (path) => !/\.map$|\/dist\/(\.compiled|embedded-template|engine-code)$/.test(path),
      });
  // A release is never rebuilt: its folder may be read-only, and its builder is not there.
  writeFileSync(join(folder, 'server/dist/.built-from'), 'release');
}

function copyPackage(path, folder) {
  const from = join(root, path);
  cpSync(from, join(folder, path), {
    recursive: true,
    dereference: true,
    filter: (file) => {
      if (file === from) return true;
      const inside = file.slice(from.length);
      const name = basename(file);
      return !inside.includes('/node_modules') && !UNUSED_FILE.test(name) && !UNUSED_FOLDER.has(name);
    },
  });
}

function releaseManifest(packages) {
  const top = packages.filter(({ path }) => path.split('node_modules/').length === 2);
  const dependencies = Object.fromEntries(top.map(({ name, version }) => [name, version]));
  const { name, version, description, license, type, engines } = manifest;
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    bin: { dargah: 'server/bin/dargah.mjs' },
    scripts: {
      start: manifest.scripts.start,
      dargah: 'node server/bin/dargah.mjs',
    },
    dependencies,
    bundleDependencies: Object.keys(dependencies),
  };
}

/** npm's own packing would leave out what .gitignore names; a plain archive has all of it. */
function pack(folder) {
  const file = join(root, 'release', `${manifest.name}-${manifest.version}.tgz`);
  const names = readdirSync(folder).map((name) => `package/${name}`);
  execFileSync('tar', ['--owner=0', '--group=0', '--sort=name', '-czf', file, '-C', join(folder, '..'), ...names]);
  return file;
}

await main();
