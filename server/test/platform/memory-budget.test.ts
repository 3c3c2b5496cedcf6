import { describe, expect, it } from 'vitest';
import { type After, defaultMemoryBudget, MemoryBudget } from '../../src/platform/memory-budget.ts';

const GIB = 2 ** 30;

/** Timers that run when the test says so. */
function heldTimers() {
  const due = new Set<() => void>();
  const after: After = (_ms, run) => {
    due.add(run);
    return () => due.delete(run);
  };
  return {
    after,
    pending: () => due.size,
    run: () => {
      for (const run of [...due]) run();
    },
  };
}

/** 700 for large requests, 100 for small bodies alone. */
function budgetOf(timers = heldTimers()) {
  return { timers, budget: new MemoryBudget({ maxBytes: 800, after: timers.after }) };
}

describe('the memory budget', () => {
  it('gives back what a share took, once', () => {
    const { budget } = budgetOf();
    const share = budget.open();
    expect([
      share.tryReserve('bodies', 400),
      share.tryReserve('media', 300),
      budget.open().tryReserve('stored', 1),
    ]).toEqual([true, true, false]);
    expect(budget.state).toMatchObject({ heldBytes: 700, byKind: { bodies: 400, media: 300, stored: 0 } });
    share.release();
    share.release();
    expect(budget.state).toMatchObject({ heldBytes: 0, peakBytes: 700, byKind: { bodies: 0, media: 0 } });
  });

  it('lets small bodies in beside large ones that fill their part, and never holds more than it has', () => {
    const { budget } = budgetOf();
    budget.open().tryReserve('bodies', 700);
    expect([budget.addSmall(100), budget.addSmall(1)]).toEqual([true, false]);
    budget.removeSmall(100);
    expect(budget.addSmall(1)).toBe(true);
    expect(budget.state).toMatchObject({ peakBytes: 800, refused: 1 });
  });

  it('makes a take wait until there is room, and what is smaller does not wait behind what is larger', async () => {
    const { budget, timers } = budgetOf();
    const first = budget.open();
    await first.reserve('bodies', 500);
    const order: string[] = [];
    const large = budget
      .open()
      .reserve('bodies', 600)
      .then(() => order.push('large'));
    const small = budget
      .open()
      .reserve('bodies', 250)
      .then(() => order.push('small'));
    expect(budget.state).toMatchObject({ waiting: 2, heldBytes: 500 });
    const more = budget.open();
    await more.reserve('bodies', 100);
    more.release();
    first.release();
    await large;
    expect(order).toEqual(['large']);
    expect([budget.state.waiting, timers.pending()]).toEqual([1, 1]);
    timers.run();
    await expect(small).rejects.toMatchObject({ code: 'overloaded', options: { retryAfterMs: 2_000 } });
    expect(budget.state).toMatchObject({ waiting: 0, refused: 1, heldBytes: 600 });
  });

  it('refuses at once what can never fit, and more waiting than has a use', async () => {
    const { budget, timers } = budgetOf();
    await expect(budget.open().reserve('bodies', 701)).rejects.toMatchObject({ code: 'overloaded' });
    expect(timers.pending()).toBe(0);
    budget.open().tryReserve('bodies', 700);
    const waiting = Array.from({ length: 200 }, () => budget.open().reserve('bodies', 10));
    const settled = Promise.allSettled(waiting);
    await expect(budget.open().reserve('bodies', 10)).rejects.toMatchObject({ code: 'overloaded' });
    expect(budget.state.waiting).toBe(200);
    timers.run();
    await settled;
  });

  it('gives one owner its first request whole, and beside that no more than half', async () => {
    const { budget, timers } = budgetOf();
    expect(budget.open('acme').tryReserve('bodies', 350)).toBe(true);
    expect(budget.open('acme').tryReserve('bodies', 100)).toBe(false);
    expect(budget.open('other').tryReserve('bodies', 350)).toBe(true);
    const of = Array.from({ length: 20 }, () => budget.open('acme').reserve('bodies', 100));
    const settled = Promise.allSettled(of);
    // Nor does it keep others out of the queue.
    expect(budget.state.waiting).toBe(16);
    timers.run();
    expect((await settled).filter(({ status }) => status === 'rejected')).toHaveLength(20);
  });

  it('gives documents half, and they wait as long as it takes', async () => {
    const { budget, timers } = budgetOf();
    const first = budget.open();
    await first.reserve('documents', 400, Number.POSITIVE_INFINITY);
    const second = budget.open().reserve('documents', 400, Number.POSITIVE_INFINITY);
    expect([budget.state.waiting, timers.pending()]).toEqual([1, 0]);
    expect(budget.open().tryReserve('bodies', 300)).toBe(true);
    first.release();
    await second;
    expect(budget.state.byKind.documents).toBe(400);
  });

  it('ends the waiting of a share that is released', async () => {
    const { budget } = budgetOf();
    budget.open().tryReserve('bodies', 700);
    const share = budget.open();
    const waiting = share.reserve('bodies', 10);
    share.release();
    await expect(waiting).rejects.toMatchObject({ code: 'overloaded' });
    expect(budget.state.waiting).toBe(0);
  });
});

describe('the default budget', () => {
  it.each([
    ['a container', { constrained: 2 * GIB, total: 64 * GIB, heap: 1.1 * GIB }, 0.5 * GIB],
    ['no container', { constrained: 0, total: 4 * GIB, heap: 2.1 * GIB }, GIB],
    ['a limit that says "none"', { constrained: 2 ** 64, total: 4 * GIB, heap: 2.1 * GIB }, GIB],
    ['a heap that is far smaller than the machine', { constrained: 0, total: 64 * GIB, heap: 4 * GIB }, 2 * GIB],
    ['a process with a small heap of its own', { constrained: 8 * GIB, total: 64 * GIB, heap: 0.5 * GIB }, GIB / 4],
  ])('of %s', (_what, memory, expected) => {
    expect(defaultMemoryBudget(memory)).toBe(expected);
  });

  it('is a useful number on this machine', () => {
    expect(defaultMemoryBudget()).toBeGreaterThan(16 * 2 ** 20);
    expect(defaultMemoryBudget()).toBeLessThan(64 * GIB);
  });
});
