/** What the builds share: which sources there are, whether they changed, how a file is replaced, and our own packages. */
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/**
 * The packages of this repository that are imported by name, as esbuild's `alias`: they become part of a bundle, where all other
 * packages stay outside of it. `root` is the checkout whose packages they are.
 */
export function ownPackages(root) {
  return { '@dargah/api': join(root, 'packages/api/src'), '@dargah/core': join(root, 'packages/core/src') };
}

/** Each start waits for this and for the fingerprint; asked in one go, a disk answers soonest. */
export function listFiles(folder, pattern) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

/** Names, sizes and times of the files, as one digest. */
export function fingerprint(files, root) {
  const hash = createHash('sha256');
  for (const path of files) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${relative(root, path)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** Whole or not at all: another process may be starting from the same folder. */
export async function replaceFile(path, contents) {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, contents);
  await rename(draft, path);
}
