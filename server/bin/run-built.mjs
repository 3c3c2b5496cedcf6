// The server as it was built, for whoever builds it himself.
import { readProgram } from './compiled-code.mjs';
import { showSourcePositions } from './source-positions.mjs';

showSourcePositions(new URL('../dist/', import.meta.url).href);
await readProgram().exports.startServer(process.argv.slice(2));
