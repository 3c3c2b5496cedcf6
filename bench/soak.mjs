/**
 * Minutes of steady load with a tenth of all provider answers broken and some clients that hang up; prints wrong answers,
 * latency, and whether the heap is flat: the slope of its size after full collections, over the second half of the run.
 * Ends with an error when an answer was wrong or the heap is not flat.
 *   npm run soak                  ten minutes; fewer than five are too short to judge the heap
 *   npm run soak -- --minutes 60
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error('--minutes must be a number above 0');

const child = spawn('npx', ['vitest', 'run', 'server/test/faults/soak.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, DARGAH_SOAK_MINUTES: String(minutes) },
});
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
