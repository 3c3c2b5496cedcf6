/**
 * Prints the files in which tests failed, a line each:
 *   node tools/failed-files.mjs REPORT   (of vitest's reporter `json`)
 * Nothing when there is no whole report, or when what failed belongs to no file.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

let report = { testResults: [] };
try {
  report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
} catch {
  // The run ended before it could write one.
}
for (const { name, status } of report.testResults) if (status === 'failed') console.log(relative(process.cwd(), name));
