#!/usr/bin/env node
// Builds when needed, then becomes the server: one process, so that signals reach it.
import { setFlagsFromString } from 'node:v8';
import { buildIfStale } from './build.mjs';
import { buildWebIfStale } from './build-web.mjs';

// V8 would allocate objects of a busy minute straight into its old generation. They die at once all the same, and until the
// next full collection keep everything alive that they point to: three times as much to copy, for every request.
setFlagsFromString('--no-allocation-site-pretenuring');
// What survives a small collection is about a megabyte: copied sooner than a second thread is woken for it.
setFlagsFromString('--no-parallel-scavenge');
// By default the heap may double before it is swept: with thousands of open streams that is hundreds of megabytes of garbage.
setFlagsFromString('--heap-growing-percent=40');
// The request path is many small functions, for people. More of them are compiled into one than V8 would by default.
setFlagsFromString('--max-inlined-bytecode-size=1000');
setFlagsFromString('--max-inlined-bytecode-size-cumulative=2500');
// In a pause V8 would collect in full several times and forget compiled code, to give back a few megabytes; the first requests
// after every pause paid for it with a quarter of their time.
setFlagsFromString('--no-memory-reducer');
setFlagsFromString('--no-flush-bytecode');

const began = performance.now();
let told = false;
const tell = () => {
  if (!told) process.stdout.write('building the server and the web pages, this once … ');
  told = true;
};
await Promise.all([buildIfStale(tell), buildWebIfStale(tell)]);
if (told) console.log(`done in ${((performance.now() - began) / 1000).toFixed(1)} s`);
process.setSourceMapsEnabled(true);
await import('../dist/main.js');
