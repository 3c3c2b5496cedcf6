#!/usr/bin/env node
// The command line tool: builds when needed, then runs it in this process.
import { buildIfStale } from './build.mjs';
import { showSourcePositions } from './source-positions.mjs';

if (process.argv[2] === 'start') {
  // `npx dargah start`: the server itself; what follows are its own arguments.
  process.argv.splice(2, 1);
  await import('./start.mjs');
} else {
  await buildIfStale();
  showSourcePositions(new URL('../dist/', import.meta.url).href);
  await import('../dist/cli.js');
}
