/**
 * Builds web/dist for a developer, and again whenever a source of it changes: nothing is made small or compressed, so a change is
 * there in a fraction of a second. The manifest says that it is `changing`; the server then reads it for every page, and tells
 * open pages (server/src/http/web/changing-site.ts).
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { bundleOptions, describe, manifest, output, refuseSchemas, source, stamp } from './build-web.mjs';
import { replaceFile } from './sources.mjs';

/**
 * Returns what builds anew, given the names of the files that changed: a change of style takes a tenth of the time of any other.
 * Changes that come while it builds are built together after it.
 */
export async function openWebBuild() {
  const esbuild = await import('esbuild');
  const forDevelopers = { minify: false, sourcemap: 'inline', inject: [join(source, 'dev/follow-changes.ts')] };
  const contexts = await Promise.all(
    bundleOptions().map((options) => esbuild.context({ ...options, ...forDevelopers })),
  );
  let results = [];
  let described;
  let written = new Set();
  let running;
  let waiting = [];

  async function build(changed) {
    const onlyStyles = described !== undefined && changed.length > 0 && changed.every((name) => name.endsWith('.css'));
    const styles = contexts.length - 1;
    results = await Promise.all(
      contexts.map((context, at) => (onlyStyles && at !== styles ? results[at] : context.rebuild())),
    );
    for (const { metafile } of results) refuseSchemas(metafile);
    const frames = onlyStyles ? described.frames : undefined;
    described = await describe(esbuild, results, frames);
    await write(new Map(results.flatMap(({ outputFiles }) => outputFiles.map((file) => [file.path, file.contents]))));
  }

  async function write(made) {
    await mkdir(output, { recursive: true });
    // The next `npm start` must not take these files for a build of its own.
    await rm(stamp, { force: true });
    const fresh = [...made].filter(([path]) => !written.has(path));
    await Promise.all(fresh.map(([path, contents]) => replaceFile(path, contents)));
    await replaceFile(manifest, JSON.stringify({ ...described, changing: true }, null, 2));
    written = new Set(made.keys());
    const kept = new Set(['manifest.json', ...[...written].map((path) => basename(path))]);
    const gone = (await readdir(output)).filter((name) => !kept.has(name));
    await Promise.all(gone.map((name) => rm(join(output, name), { force: true })));
  }

  return (changed = []) => {
    waiting.push(...changed);
    running ??= (async () => {
      do {
        const now = waiting;
        waiting = [];
        await build(now);
      } while (waiting.length > 0);
    })().finally(() => {
      running = undefined;
    });
    return running;
  };
}
