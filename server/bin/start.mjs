#!/usr/bin/env node
// Builds when needed, then becomes the server: one process, so that signals reach it.
import { buildIfStale } from './build.mjs';

await buildIfStale();
process.setSourceMapsEnabled(true);
await import('../dist/main.js');
