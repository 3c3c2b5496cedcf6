/**
 * Minutes of steady load with a tenth of all provider answers broken; prints wrong answers, latency and the slope of the heap.
 *   npm run soak                  ten minutes
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
