/** Repeated work that a test runs by hand, when it wants it to have been time. */
import type { Background } from '../../src/platform/background.ts';

export interface HandBackground {
  background: Background;
  run(name: string): Promise<void>;
  /** Resolves when what was let go on its own has finished. */
  settled(): Promise<void>;
}

export function handBackground(): HandBackground {
  const jobs = new Map<string, () => void | Promise<void>>();
  const running: Promise<unknown>[] = [];
  const background: Background = {
    every(_ms, name, work) {
      jobs.set(name, work);
      return () => undefined;
    },
    after: () => () => undefined,
    detach: (promise) => void running.push(promise),
    drain: async () => [],
  };
  return {
    background,
    async run(name) {
      const work = jobs.get(name);
      if (work === undefined) throw new Error(`no work is called ${name}`);
      await work();
    },
    async settled() {
      await Promise.all(running.splice(0));
    },
  };
}
