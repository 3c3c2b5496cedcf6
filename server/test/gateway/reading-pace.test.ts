import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import { ReadingPace } from '../../src/gateway/chat/reading-pace.ts';

/** A clock that stands until it is moved. */
function standingClock() {
  const works: { atMs: number; work: () => void }[] = [];
  let nowMs = 0;
  const clock: Clock = {
    now: () => nowMs,
    monotonicMs: () => nowMs,
    after: (ms, work) => void works.push({ atMs: nowMs + ms, work }),
  };
  const move = (ms: number): void => {
    nowMs += ms;
    for (const { work } of works.filter(({ atMs }) => atMs <= nowMs)) work();
  };
  return { clock, move };
}

describe('ReadingPace', () => {
  it('never holds up the first piece, nor one that comes a millisecond after the last', () => {
    const { clock, move } = standingClock();
    const pace = new ReadingPace(clock);
    for (let piece = 0; piece < 5; piece++) {
      expect(pace.rest()).toBeUndefined();
      move(1);
    }
  });

  it('lets pieces that come faster wait until a millisecond is over', async () => {
    const { clock, move } = standingClock();
    const pace = new ReadingPace(clock);
    expect(pace.rest()).toBeUndefined();
    move(0.2);
    const rest = pace.rest();
    let over = false;
    void rest?.then(() => {
      over = true;
    });
    move(0.5);
    await Promise.resolve();
    expect(over).toBe(false);
    move(0.5);
    await rest;
    expect(over).toBe(true);
  });
});
