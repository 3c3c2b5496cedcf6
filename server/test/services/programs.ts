/** Programs of the system that a test drives. Where one is missing the test is skipped with a visible line; in CI it fails. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export function programPath(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** For `describe.skipIf(programMissing('helm'))`. */
export function programMissing(name: string): boolean {
  if (programPath(name) !== undefined) return false;
  if (process.env['CI']) throw new Error(`${name} is not installed, and in CI its tests must run`);
  console.warn(`SKIPPED: ${name} is not installed; what it checks is not checked`);
  return true;
}
