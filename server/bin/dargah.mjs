#!/usr/bin/env node
// The command line tool: builds when needed, then runs it in this process.
import { buildIfStale } from './build.mjs';

await buildIfStale();
process.setSourceMapsEnabled(true);
await import('../dist/cli.js');
