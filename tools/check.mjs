/**
 * What `npm run check` does: its parts in two rows beside each other, because half of them use only one core. The
 * output of a part is printed whole when it ends, so that two never mix; all parts run, so that one mistake does not
 * hide another.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The parts that take longest begin, one in each row; the rest is taken by whichever row is free. */
const PARTS = ['types', 'layers', 'dead', 'lint', 'regexes', 'migrations'];
const ROWS = 2;

async function run(part) {
  const began = performance.now();
  const child = spawn('npm', ['run', '-s', `check:${part}`], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stdout.on('data', (text) => (said += text));
  child.stderr.on('data', (text) => (said += text));
  const [code] = await once(child, 'close');
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(`${said}check:${part} ${code === 0 ? 'is clean' : 'FAILED'} (${seconds} s)\n`);
  return code === 0;
}

async function row(waiting, clean) {
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) clean.push(await run(part));
}

const waiting = [...PARTS];
const clean = [];
await Promise.all(Array.from({ length: ROWS }, () => row(waiting, clean)));
if (clean.includes(false)) process.exitCode = 1;
