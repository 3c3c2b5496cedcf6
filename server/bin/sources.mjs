/** What the builds share: which sources there are, whether they changed, how a file is replaced, and our own packages. */
import { createHash } from 'node:crypto';
import { readdir, rename, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/**
 * The packages of this repository that are imported by name, as esbuild's `alias`: they become part of a bundle, where all other
 * packages stay outside of it. `root` is the checkout whose packages they are.
 */
export function ownPackages(root) {
  return { '@dargah/api': join(root, 'packages/api/src'), '@dargah/core': join(root, 'packages/core/src') };
}

export async function listFiles(folder, pattern) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

/** Names, sizes and times of the files, as one digest. */
export async function fingerprint(files, root) {
  const hash = createHash('sha256');
  const states = await Promise.all(files.map((path) => stat(path)));
  files.forEach((path, index) => {
    hash.update(`${relative(root, path)} ${states[index].size} ${states[index].mtimeMs}\n`);
  });
  return hash.digest('hex');
}

/** Whole or not at all: another process may be starting from the same folder. */
export async function replaceFile(path, contents) {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, contents);
  await rename(draft, path);
}
