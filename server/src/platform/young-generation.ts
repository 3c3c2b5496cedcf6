/**
 * How much room new objects have in the engine's heap. What a request has made is alive for as long as it runs, and every small
 * collection copies what is alive: of a hundred streams at a time a fifth of 8 MB. What is alive at the second one goes to the old
 * generation, which then has to be collected in full every second. So the room is small, which saves memory, and grows while many
 * requests run (docs/adr/0087). `npm start` gives both sizes; without them the engine does as it always does.
 */
import { setFlagsFromString } from 'node:v8';
import type { Background } from './background.ts';

/** With fewer at a time a small collection finds little alive. */
const MANY_REQUESTS = 48;
const LOOK_MS = 1_000;

export function fitYoungGeneration(background: Background, running: { readonly size: number }): void {
  if (!process.execArgv.some((flag) => flag.startsWith('--min-semi-space-size='))) return;
  // Set now and again and again: on some versions of Node a thread that begins sets it back, and the database has begun one.
  const fit = () => letGrow(running.size >= MANY_REQUESTS);
  fit();
  background.every(LOOK_MS, 'room for new objects', fit);
}

/** The engine reads the factor each time as much has survived as there is room. */
function letGrow(allowed: boolean): void {
  setFlagsFromString(`--semi-space-growth-factor=${allowed ? 2 : 1}`);
}
