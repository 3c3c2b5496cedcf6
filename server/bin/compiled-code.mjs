/**
 * Compiled code of the bundle and its packages, kept between starts: compiling took a quarter of a start. Node keys it by its own
 * version and by the text of each file, so nothing stale is ever run. Node 20 has no such store, and where the folder cannot be
 * written every start compiles, as before.
 */
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../dist/.compiled', import.meta.url));
/** After the start, when nobody waits: what was compiled until then is what starts need. */
const KEPT_AFTER_MS = 10_000;

export function keepCompiledCode() {
  if (module.enableCompileCache === undefined || process.env.NODE_DISABLE_COMPILE_CACHE) return;
  module.enableCompileCache(FOLDER);
  // Node writes it when a process ends in order; one that is killed would leave the next start nothing.
  setTimeout(() => module.flushCompileCache?.(), KEPT_AFTER_MS).unref();
}
