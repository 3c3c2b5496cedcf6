import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBackground } from '../../src/platform/background.ts';

function setUp() {
  const errors: object[] = [];
  const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => void errors.push(fields) };
  return { background: createBackground(log), errors };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('background', () => {
  it('never runs a job twice at once and survives its failures', async () => {
    const { background, errors } = setUp();
    let release: () => void = () => undefined;
    let runs = 0;
    background.every(10, 'slow job', () => {
      runs++;
      if (runs === 2) throw new Error('second run breaks');
      return new Promise((resolve) => {
        release = resolve;
      });
    });
    await vi.advanceTimersByTimeAsync(50);
    expect(runs).toBe(1);
    release();
    await vi.advanceTimersByTimeAsync(25);
    expect(errors).toMatchObject([{ job: 'slow job' }]);
    expect(runs).toBe(3);
  });

  it('logs detached failures by name', async () => {
    const { background, errors } = setUp();
    background.detach(Promise.reject(new Error('lost')), 'posting');
    await vi.advanceTimersByTimeAsync(0);
    expect(errors).toMatchObject([{ job: 'posting' }]);
  });

  it('says once that a job fails, and once that it is well again', async () => {
    const { background, errors } = setUp();
    let away = true;
    background.every(10, 'posting', () => (away ? Promise.reject(new Error('away')) : Promise.resolve()));
    await vi.advanceTimersByTimeAsync(200);
    expect(errors).toHaveLength(1);
    away = false;
    await vi.advanceTimersByTimeAsync(20);
    away = true;
    await vi.advanceTimersByTimeAsync(50);
    expect(errors).toHaveLength(2);
  });

  it('drains: waits for what runs, drops what waits, names what hangs', async () => {
    const { background } = setUp();
    let late = false;
    let release: () => void = () => undefined;
    background.after(1000, 'later', () => {
      late = true;
    });
    background.detach(
      new Promise<void>((resolve) => {
        release = resolve;
      }),
      'finishing',
    );
    background.detach(new Promise(() => undefined), 'hanging');
    const drained = background.drain(5000);
    release();
    await vi.advanceTimersByTimeAsync(6000);
    expect(await drained).toEqual(['hanging']);
    expect(late).toBe(false);
  });
});
