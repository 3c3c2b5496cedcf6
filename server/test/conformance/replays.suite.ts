/** What every implementation of the replay buffers promises: written in one place, read in the same or in another. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sink } from '../../src/core/answer.ts';
import { FrameNumbers, type KeptReplay, type ReplayHead, type Replays } from '../../src/replay/index.ts';
import { eventually } from '../services/eventually.ts';

export interface ReplayStage {
  /** Where answers are made, and where they are continued. */
  maker: Replays;
  reader: Replays;
  /** So much time passes for what is kept. */
  pass(ms: number): Promise<void>;
  end(): Promise<void>;
}

export const BOUNDS = { bytesPerRequest: 4_096, bytesPerAccount: 12_288, bytesTotal: 20_480 };

export class ReadingSink implements Sink {
  text = '';
  ending: 'end' | 'cut' | undefined;
  gone = false;
  write(data: string | Uint8Array): undefined {
    this.text += typeof data === 'string' ? data : Buffer.from(data).toString();
  }
  end(): void {
    this.ending ??= 'end';
  }
  cut(): void {
    this.ending ??= 'cut';
  }
}

let serial = 0;
export const headOf = (more: Partial<ReplayHead> = {}): ReplayHead => ({
  requestId: `req_${process.pid}_${++serial}`,
  accountId: 'acme',
  model: 'mock/chat',
  contentType: 'text/event-stream',
  headers: { 'x-a': 'b' },
  keepMs: 60_000,
  keepAliveFrame: ': \n\n',
  lost: 'data: lost\n\n',
  ...more,
});

export const framesFor = (count: number, text = 'متن 🌍') => {
  const numbers = new FrameNumbers();
  return numbers.number(Array.from({ length: count }, (_, at) => `data: {"n":${at},"t":"${text}"}\n\n`).join(''));
};

export function replaysSuite(name: string, stageFor: () => Promise<ReplayStage>): void {
  describe(`streams to continue ${name}`, () => {
    let stage: ReplayStage;
    beforeAll(async () => {
      stage = await stageFor();
    });
    afterAll(() => stage?.end());

    const find = (head: ReplayHead) =>
      eventually(async () => {
        const found = await stage.reader.find(head.requestId, head.accountId);
        expect(found).toMatchObject({ head });
        return found as KeptReplay;
      });

    it('are read from every place once they have ended', async () => {
      const head = headOf();
      const frames = framesFor(9);
      const writer = stage.maker.open(head, undefined);
      void writer.append(frames.slice(0, 1));
      void writer.append(frames.slice(1, 4));
      await stage.maker.flush();
      void writer.append(frames.slice(4));
      writer.finish('complete');
      await stage.maker.flush();
      for (let after = 0; after <= frames.length; after++) {
        const sink = new ReadingSink();
        const found = await find(head);
        expect(found).toMatchObject({ dropped: 0, length: frames.length });
        await found.play(sink, after);
        expect(sink).toMatchObject({ text: frames.slice(after).join(''), ending: 'end' });
      }
      expect(Buffer.from(writer.whole() ?? []).toString()).toBe(frames.join(''));
    });

    it('are followed while they run, by many', async () => {
      const head = headOf();
      const frames = framesFor(6);
      const writer = stage.maker.open(head, undefined);
      void writer.append(frames.slice(0, 2));
      await stage.maker.flush();
      const sinks = [new ReadingSink(), new ReadingSink(), new ReadingSink()];
      const found = await find(head);
      const reading = sinks.map((sink, after) => found.play(sink, after));
      for (const frame of frames.slice(2)) {
        void writer.append([frame]);
        await stage.maker.flush();
      }
      writer.finish('complete');
      await Promise.all(reading);
      for (const [after, sink] of sinks.entries())
        expect(sink).toMatchObject({ text: frames.slice(after).join(''), ending: 'end' });
    });

    it('of another account look like none', async () => {
      const head = headOf();
      stage.maker.open(head, undefined).finish('complete');
      await find(head);
      expect(await stage.reader.find(head.requestId, 'other')).toBeUndefined();
      expect(await stage.reader.find(head.requestId, 'acme', 'a person')).toBeUndefined();
      expect(await stage.reader.find('req_none', 'acme')).toBeUndefined();
    });

    it('that were cut do not look complete', async () => {
      const head = headOf();
      const writer = stage.maker.open(head, undefined);
      void writer.append(framesFor(2));
      writer.finish('cut');
      await stage.maker.flush();
      const sink = new ReadingSink();
      await (await find(head)).play(sink, 0);
      expect(sink.ending).toBe('cut');
    });

    it('lose their oldest frames where they outgrow their room, and say so', async () => {
      const head = headOf();
      const frames = framesFor(100, 'x'.repeat(200));
      const writer = stage.maker.open(head, undefined);
      for (const frame of frames) void writer.append([frame]);
      expect(writer.isLost).toBe(true);
      expect(writer.whole()).toBeUndefined();
      writer.finish('complete');
      await stage.maker.flush();
      const found = await find(head);
      expect(found.dropped).toBeGreaterThan(50);
      expect(found.dropped).toBeLessThan(100);
      const sink = new ReadingSink();
      await found.play(sink, found.dropped);
      expect(sink).toMatchObject({ text: frames.slice(found.dropped).join(''), ending: 'end' });
      const late = new ReadingSink();
      await found.play(late, 0);
      expect(late).toMatchObject({ ending: 'cut' });
    });

    it('are gone after their time', async () => {
      const head = headOf({ keepMs: 200 });
      const writer = stage.maker.open(head, undefined);
      void writer.append(framesFor(1));
      writer.finish('complete');
      await stage.maker.flush();
      await stage.pass(200);
      await eventually(async () => expect(await stage.reader.find(head.requestId, 'acme')).toBeUndefined());
    });

    it('are cancelled by their account alone, and once', async () => {
      const head = headOf();
      let cancelled = 0;
      const writer = stage.maker.open(head, () => {
        cancelled++;
        writer.finish('complete');
      });
      await find(head);
      expect(await stage.reader.cancel(head.requestId, 'other')).toBe(false);
      expect(await stage.reader.cancel(head.requestId, 'acme')).toBe(true);
      await eventually(() => expect(cancelled).toBe(1));
      await eventually(async () => expect(await stage.reader.cancel(head.requestId, 'acme')).toBe(false));
    });
  });
}
