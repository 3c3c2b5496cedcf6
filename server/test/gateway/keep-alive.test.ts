import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Sink } from '../../src/core/answer.ts';
import { KeepAlive } from '../../src/gateway/settle/keep-alive.ts';

const EVERY_MS = 3_000;

function sinkOf() {
  const written: string[] = [];
  const sink: Sink = {
    gone: false,
    write: (data) => void written.push(String(data)),
    end: () => undefined,
    cut: () => undefined,
  };
  return { sink, written };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('breaks the silence of each stream, though all share a timer', () => {
  const [silent, busy] = [sinkOf(), sinkOf()];
  const first = new KeepAlive(silent.sink, ': a', EVERY_MS);
  const second = new KeepAlive(busy.sink, ': b', EVERY_MS);
  for (let turn = 0; turn < 6; turn++) {
    second.wrote(undefined);
    vi.advanceTimersByTime(1_000);
  }
  expect(silent.written).toEqual([': a', ': a']);
  expect(busy.written).toEqual([]);
  first.stop();
  vi.advanceTimersByTime(EVERY_MS);
  expect(silent.written).toHaveLength(2);
  expect(busy.written).toEqual([': b']);
  second.stop();
  vi.advanceTimersByTime(EVERY_MS);
  expect(vi.getTimerCount()).toBe(0);
});

it('never lets a stream that begins between two ticks wait longer than it may', () => {
  const other = new KeepAlive(sinkOf().sink, ': a', EVERY_MS);
  vi.advanceTimersByTime(900);
  const { sink, written } = sinkOf();
  const late = new KeepAlive(sink, ': b', EVERY_MS);
  vi.advanceTimersByTime(EVERY_MS);
  expect(written).toEqual([': b']);
  other.stop();
  late.stop();
});
