/** Tells how much room new objects have: after much work for few requests, for many, and for few again in a thread's company. */
import { getHeapSpaceStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { Background } from '../../src/platform/background.ts';
import { fitYoungGeneration } from '../../src/platform/young-generation.ts';

let look = () => {};
const background: Pick<Background, 'every'> = {
  every(_ms, _name, work) {
    look = () => void work();
    return () => {};
  },
};
const running = { size: 0 };

/** Of what this makes, a megabyte and more is alive at each collection. */
function work(): void {
  let kept: unknown[] = [];
  for (let made = 0; made < 400_000; made++) {
    kept.push(new Array(50).fill(made));
    if (kept.length > 4_000) kept = [];
  }
}

function roomAfterWork(): number {
  look();
  work();
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
}

async function threadBegins(): Promise<void> {
  await new Promise((resolve) => new Worker('', { eval: true }).once('exit', resolve));
}

fitYoungGeneration(background as Background, running);
const few = roomAfterWork();
await threadBegins();
const besideThread = roomAfterWork();
running.size = 100;
const many = roomAfterWork();
process.send?.({ few, besideThread, many });
