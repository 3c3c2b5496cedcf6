/** A full collection, so that a test can ask what is still held. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

export async function collectGarbage(): Promise<void> {
  // A weak reference keeps its target until the turn in which it was made or read is over.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
}
