import { describe, expect, it } from 'vitest';
import { createReplays, FrameNumbers, ReplayBuffer, sinkOf } from '../../src/replay/index.ts';
import { BOUNDS, framesFor, headOf, ReadingSink, replaysSuite } from '../conformance/replays.suite.ts';
import { MovedClock } from '../harness/moved-clock.ts';
import { handBackground } from '../services/hand-background.ts';

const openReplays = (clock = new MovedClock()) =>
  createReplays({ bounds: () => BOUNDS, clock, background: handBackground().background });

replaysSuite('in one process', async () => {
  const clock = new MovedClock();
  const replays = openReplays(clock);
  return {
    maker: replays,
    reader: replays,
    pass: async (ms) => {
      clock.moved += ms;
    },
    end: async () => replays.close(),
  };
});

describe('the room of a process', () => {
  it('is taken from what has ended, of the same account first, and told', async () => {
    const replays = openReplays();
    const filled = (accountId: string) => {
      const head = headOf({ accountId });
      const writer = replays.open(head, undefined);
      void writer.append(framesFor(10, 'x'.repeat(250)));
      writer.finish('complete');
      return head.requestId;
    };
    const other = filled('other');
    const [first, ...rest] = [filled('acme'), filled('acme'), filled('acme'), filled('acme')];
    expect(await replays.find(first ?? '', 'acme')).toBe('dropped');
    expect(await replays.find(first ?? '', 'other')).toBeUndefined();
    expect(await replays.find(other, 'other')).toMatchObject({ length: 10 });
    expect(await replays.find(rest.at(-1) ?? '', 'acme')).toMatchObject({ length: 10 });
    // The process itself is full: the oldest of all go.
    for (const account of ['third', 'fourth', 'fifth', 'sixth']) filled(account);
    expect(await replays.find(other, 'other')).toBe('dropped');
  });

  it('that running answers fill takes their oldest frames, and stays bounded', async () => {
    const replays = openReplays();
    const writers = Array.from({ length: 8 }, () => replays.open(headOf(), undefined));
    for (const frame of framesFor(40, 'x'.repeat(200))) for (const writer of writers) void writer.append([frame]);
    let kept = 0;
    for (const writer of writers) kept += writer.whole()?.byteLength ?? 0;
    expect(kept).toBeLessThanOrEqual(BOUNDS.bytesPerAccount);
    expect(writers.every((writer) => writer.isLost)).toBe(true);
  });
});

describe('a replay buffer', () => {
  it('that is full waits for a reader that is behind, and never for one that left', async () => {
    const buffer = new ReplayBuffer({ maxBytes: 10 });
    let drain: () => void = () => undefined;
    const slow = Object.assign(new ReadingSink(), {
      write(this: ReadingSink, data: string) {
        this.text += data;
        return new Promise<void>((resolve) => {
          drain = resolve;
        });
      },
    }) as unknown as ReadingSink;
    const reading = buffer.play(slow);
    expect(buffer.append(['12345'])).toBeUndefined();
    await Promise.resolve();
    expect(buffer.append(['67890'])).toBeUndefined();
    expect(buffer.append(['abcde'])).toBeUndefined();
    const waits = buffer.append(['fghij']);
    expect(waits).toBeInstanceOf(Promise);
    slow.gone = true;
    drain();
    await waits;
    await reading;
    expect(sinkOf(buffer).gone).toBe(true);
  });
});

describe('numbers of frames', () => {
  it('are the same wherever a write ends, and replace those of a provider', () => {
    const text = 'event: a\ndata: {"x":1}\n\nid: theirs\ndata: 2\n\n: comment\n\ndata: [DONE]\n\n';
    const whole = new FrameNumbers().number(text);
    expect(whole.join('')).toBe(
      'id: 1\nevent: a\ndata: {"x":1}\n\nid: 2\ndata: 2\n\nid: 3\n: comment\n\nid: 4\ndata: [DONE]\n\n',
    );
    for (let cut = 0; cut <= text.length; cut++) {
      const numbers = new FrameNumbers();
      expect([...numbers.number(text.slice(0, cut)), ...numbers.number(text.slice(cut))]).toEqual(whole);
    }
  });
});
