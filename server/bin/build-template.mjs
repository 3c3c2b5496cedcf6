/**
 * Makes the template of embedded databases beside the bundle, when it has none of this state: a first start copies it instead of
 * creating and migrating a database. Without it first starts are slower and nothing else, so a failure ends no build.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath, pathToFileURL } from 'node:url';

const dist = new URL('../dist/', import.meta.url);

export async function buildTemplateIfStale() {
  const script = fileURLToPath(new URL('make-template.worker.js', dist));
  const folder = fileURLToPath(new URL('embedded-template', dist));
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (text) => {
    complaint = (complaint + text).slice(-2_000);
  });
  const [code] = await once(child, 'close');
  if (code !== 0)
    console.warn(`no template of embedded databases was made, so first starts take longer: ${complaint.trim()}`);
  return code === 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildTemplateIfStale();
