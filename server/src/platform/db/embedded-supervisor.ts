/** Keeps the embedded database's thread alive: when it ends without being asked to, it is started again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import type { Log } from '../log.ts';
import type { EmbeddedThread } from './embedded-thread.ts';
import type { PoolHealth } from './pooled-database.ts';

const RESTART_DELAY_MS = 500;

export interface SupervisedThread {
  /** A new connection; undefined while the thread does not run. */
  connect(): MessagePort | undefined;
  stop(): Promise<void>;
}

export async function keepThreadRunning(
  start: () => Promise<EmbeddedThread>,
  log: Log,
  health: PoolHealth,
): Promise<SupervisedThread> {
  let stopping = false;
  let thread = await start();
  let running = true;

  async function supervise(): Promise<void> {
    while (!stopping) {
      await thread.ended;
      running = false;
      if (stopping) return;
      health.reachable = false;
      log.error({}, 'the embedded database ended unexpectedly; starting it again');
      await sleep(RESTART_DELAY_MS);
      try {
        thread = await start();
        running = true;
        if (stopping) await thread.stop();
      } catch (err) {
        log.error({ err }, 'the embedded database did not start again');
      }
    }
  }

  const supervision = supervise();
  return {
    connect: () => (running ? thread.connect() : undefined),
    async stop() {
      stopping = true;
      await thread.stop();
      await supervision;
    },
  };
}
