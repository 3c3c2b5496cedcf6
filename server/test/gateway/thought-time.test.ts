import { describe, expect, it } from 'vitest';
import type { ChatEvent, StreamedPartKind } from '../../src/core/events.ts';
import { ThoughtTime } from '../../src/gateway/settle/thought-time.ts';

const said = (part: number, kind: StreamedPartKind, text: string): ChatEvent[] => [
  { type: 'part-start', part, choice: 0, kind },
  { type: 'part-delta', part, text },
];
const word = said(1, 'text', 'word');

/** Waits for `ms`, then hears. */
class Course {
  now = 0;
  readonly time: ThoughtTime;
  constructor(firstEventMs: number) {
    this.time = new ThoughtTime(firstEventMs);
  }
  hear(ms: number, events: readonly ChatEvent[]): this {
    this.time.waits(this.now);
    this.now += ms;
    this.time.hears(events, this.now);
    return this;
  }
}

describe('the time that a model thought', () => {
  it('is what passed before the first word', () => {
    const { time, now } = new Course(20_000).hear(0, word).hear(100, word);
    expect(time.thoughtMs(now)).toBe(20_000);
  });

  it('goes on until now while no word has come', () => {
    const { time } = new Course(20_000);
    time.waits(0);
    expect(time.thoughtMs(3_000)).toBe(23_000);
  });

  it('goes on while only reasoning is shown, and ends with the answer', () => {
    const { time, now } = new Course(1_000)
      .hear(0, said(0, 'reasoning', 'hmm'))
      .hear(1_500, said(0, 'reasoning', 'hm'))
      .hear(500, word)
      .hear(900, word);
    expect(time.thoughtMs(now)).toBe(3_000);
    expect(time.reasoningShare).toBeCloseTo(5 / 13);
  });

  it('includes a long silence after the first word, whatever keeps the line alive in it', () => {
    const course = new Course(600).hear(0, word);
    for (let i = 0; i < 10; i++) course.hear(1_000, []);
    expect(course.time.thoughtMs(course.now)).toBe(10_600);
    course.hear(0, word);
    expect(course.time.thoughtBeforeSpeakingMs).toBe(10_600);
  });

  it('does not include pauses between words, nor the time a reader takes', () => {
    const course = new Course(600).hear(0, word).hear(1_900, word);
    // The reader takes a minute; nobody waited for the provider in it.
    course.now += 60_000;
    course.hear(10, word);
    expect(course.time.thoughtMs(course.now)).toBe(600);
  });

  it('is nothing for an answer that began at once', () => {
    const { time, now } = new Course(499).hear(0, word);
    expect(time.thoughtMs(now)).toBe(0);
  });

  it('ends for the client when it leaves', () => {
    const course = new Course(4_000);
    course.time.waits(0);
    course.time.leave(1_000);
    course.now = 3_000;
    course.time.hears(word, course.now);
    expect(course.time.thoughtMs(course.now)).toBe(5_000);
    expect(course.time.shareUntilLeft(course.now)).toBeCloseTo(5 / 7);
  });

  it('is all done when the client leaves during the answer', () => {
    const course = new Course(4_000).hear(0, word);
    course.time.waits(course.now);
    course.time.leave(course.now);
    course.hear(1_500, []);
    expect(course.time.shareUntilLeft(course.now)).toBe(1);
    expect(course.time.thoughtBeforeSpeakingMs).toBe(4_000);
  });
});
