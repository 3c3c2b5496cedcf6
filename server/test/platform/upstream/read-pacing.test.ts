/** Streams that rest between reads: what comes meanwhile is read together, and nothing else changes. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DeadlineSweep } from '../../../src/platform/upstream/deadline-sweep.ts';
import { Exchange } from '../../../src/platform/upstream/exchange.ts';
import { TransportError, type UpstreamReply } from '../../../src/platform/upstream/index.ts';
import { ReadPacer } from '../../../src/platform/upstream/read-pacer.ts';
import { openPool } from '../../../src/platform/upstream/transport.ts';
import { CLIENTS, chatCall, ManualClock, readAll } from './call.ts';
import { type ScriptedProvider, startScriptedProvider } from './scripted-provider.ts';
import { TEST_CERTIFICATE } from './test-certificate.ts';

/** No rest ends by itself in a test. */
const REST_MS = 60_000;
/** It stands still, so that no limit ends a call. */
const clock = new ManualClock();
const DONE = '0\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
const UNTIL_CLOSE = `${OK}Connection: close\r\n\r\n`;
const sized = (bytes: number): string => `${OK}Content-Length: ${bytes}\r\n\r\n`;

const WORDS = Array.from({ length: 60 }, (_, at) => `word ${at} `);

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const asText = (bytes: Uint8Array | null): string | null => (bytes === null ? null : Buffer.from(bytes).toString());

beforeEach(() => {
  // Of all timers only rests are made by this function; sockets have timers of their own.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const resting = (): boolean => vi.getTimerCount() > 0;
const endRest = (): void => void vi.advanceTimersByTime(REST_MS);

/** Enough for whatever has left one end of a connection to have been read at the other, by whoever reads. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Reads to the end while every rest ends at once. */
async function readPaced(reply: UpstreamReply): Promise<string> {
  let over = false;
  const text = readAll(reply).finally(() => {
    over = true;
  });
  // Handled below; without it a failure between two turns would end the process.
  text.catch(() => undefined);
  while (!over) {
    endRest();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return text;
}

const ways = CLIENTS.flatMap((client) =>
  ['HTTP', 'HTTPS'].flatMap((scheme) => [
    { client, scheme, way: 'directly' },
    { client, scheme, way: 'through a proxy' },
  ]),
);

describe.each(ways)('$client client, $scheme, $way', ({ client, scheme, way }) => {
  let provider: ScriptedProvider;
  let ends: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    provider = await startScriptedProvider(scheme === 'HTTPS');
  });
  afterEach(async () => {
    for (const end of ends) await end();
    ends = [];
    await provider.close();
  });

  function open(restMs = REST_MS) {
    const { port } = provider;
    const throughProxy = async () => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    };
    const destination = { secure: scheme === 'HTTPS', host: `127.0.0.1:${port}`, hostname: '127.0.0.1', port };
    const pool = openPool(
      client,
      {
        ...destination,
        certificateAuthorities: [TEST_CERTIFICATE],
        ...(way === 'directly' ? {} : { connect: throughProxy }),
      },
      1,
    );
    ends.push(() => pool.destroy(new Error('over')));
    const sweep = new DeadlineSweep(clock);
    const pacer = new ReadPacer(restMs);
    const call = { ...chatCall('http://provider'), method: 'GET' as const, body: undefined };
    return {
      send: () =>
        new Promise<UpstreamReply>((resolve, reject) => {
          const exchange = new Exchange(call, 'provider', sweep, clock.monotonicMs(), { resolve, reject }, pacer);
          pool.dispatch(call, '/', exchange);
        }),
      pool,
    };
  }

  /** A chunked stream that rests behind its first word. */
  async function begun(restMs = REST_MS) {
    const { send, pool } = open(restMs);
    const sent = send();
    const asked = await provider.asked();
    await asked.send(CHUNKED + chunk('first '));
    const reply = await sent;
    expect(asText(await reply.read())).toBe('first ');
    expect(resting()).toBe(false);
    reply.pace();
    return { asked, reply, send, pool };
  }

  it('reads what comes during a rest together, and nothing of it before', async () => {
    const { asked, reply } = await begun();
    for (const words of [['a ', 'b ', 'c '], ['d ', 'e '], ['f ']]) {
      expect(resting()).toBe(true);
      let read: string | null | undefined;
      const reading = reply.read().then((bytes) => {
        read = asText(bytes);
      });
      for (const word of words) {
        await asked.send(chunk(word));
        await turns();
      }
      expect(read).toBeUndefined();
      endRest();
      await reading;
      expect(read).toBe(words.join(''));
    }
    await asked.send(DONE);
    expect(await readPaced(reply)).toBe('');
  });

  it.each([
    ['chunked', CHUNKED, chunk, DONE],
    ['of a known length', sized(WORDS.join('').length), (word: string) => word, ''],
    ['that ends with its connection', UNTIL_CLOSE, (word: string) => word, undefined],
  ])('a body %s comes whole and in order', async (_, head, framed, end) => {
    const { send } = open();
    const sent = send();
    const { socket, send: say } = await provider.asked();
    const [first = '', ...others] = WORDS;
    await say(head + framed(first));
    const reply = await sent;
    const begins = asText(await reply.read());
    reply.pace();
    const rest = readPaced(reply);
    for (const [at, word] of others.entries()) {
      // Some in a turn of their own, some one behind the other.
      if (at % 3 === 0) await turns();
      await say(framed(word));
    }
    if (end === undefined) socket.end();
    else if (end !== '') await say(end);
    expect(begins + (await rest)).toBe(WORDS.join(''));
  });

  it('keeps the connection, also when the end came during a rest', async () => {
    const { asked, reply, send } = await begun();
    for (const word of ['a ', 'b ', 'c ']) await asked.send(chunk(word));
    await asked.send(DONE);
    await turns();
    expect(await readPaced(reply)).toBe('a b c ');
    const next = send();
    const again = await provider.asked();
    await again.send(`${sized(4)}next`);
    expect(await (await next).text(100)).toBe('next');
    expect(provider.opened()).toBe(1);
  });

  it('a rest that outlives its stream does not reach the next call of the connection', async () => {
    const { asked, reply, send } = await begun();
    endRest();
    // One write, so that it is one read: the rest that begins with it finds its stream at its end.
    await asked.send(chunk('last') + DONE);
    expect(await readAll(reply)).toBe('last');
    const next = send();
    const again = await provider.asked();
    await again.send(CHUNKED + chunk('begun '));
    const second = await next;
    expect(asText(await second.read())).toBe('begun ');
    endRest();
    second.pace();
    await again.send(chunk('and ended'));
    await again.send(DONE);
    expect(await readPaced(second)).toBe('and ended');
    expect(provider.opened()).toBe(1);
  });

  it('an abort during a rest closes the connection, and the end of the rest harms nothing', async () => {
    const { asked, reply, send, pool } = await begun();
    const closed = once(asked.socket, 'close');
    expect(resting()).toBe(true);
    reply.abort('client gone');
    await closed;
    await turns();
    expect(pool.stats()).toMatchObject({ connected: 0, running: 0 });
    await expect(reply.read()).rejects.toMatchObject({ failure: { code: 'aborted' } });
    const next = send();
    const again = await provider.asked();
    await again.send(CHUNKED + chunk('next '));
    const second = await next;
    endRest();
    await again.send(chunk('call') + DONE);
    expect(await readAll(second)).toBe('next call');
  });

  it('loses nothing when its reader is slow as well, and goes on', async () => {
    const { asked, reply } = await begun();
    const pieces = Array.from({ length: 100 }, (_, at) => `${at}:`.repeat(3_000));
    const all = Promise.all([...pieces.map((piece) => asked.send(chunk(piece))), asked.send(DONE)]);
    let read = '';
    for (let at = 0; at < 4; at++) {
      // Nobody reads: rests end until the full queue, and no rest any more, holds the connection.
      for (let rest = 0; rest < 10; rest++) {
        endRest();
        await turns();
      }
      read += asText(await reply.read());
    }
    read += await readPaced(reply);
    await all;
    expect(read === pieces.join('')).toBe(true);
  });

  it('rests not at all where that is switched off', async () => {
    const { asked, reply } = await begun(0);
    for (const word of ['a ', 'b ', 'c ']) {
      const reading = reply.read();
      await asked.send(chunk(word));
      expect(asText(await reading)).toBe(word);
      expect(resting()).toBe(false);
    }
  });

  const endings = scheme === 'HTTP' ? (['destroy', 'resetAndDestroy'] as const) : (['destroy'] as const);
  it.each(endings)(
    'a provider that breaks off during a rest is a failure, behind what it had sent (%s)',
    async (end) => {
      const { asked, reply } = await begun();
      await asked.send(chunk('half a sen'));
      await turns();
      asked.socket[end]();
      await turns();
      expect(resting()).toBe(true);
      let read = '';
      const failed = await (async () => {
        for (;;) {
          const next = reply.read();
          endRest();
          const bytes = await next;
          if (bytes === null) return undefined;
          read += asText(bytes);
        }
      })().catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(TransportError);
      expect(failed).toMatchObject({ phase: 'body', failure: { kind: 'truncated' } });
      expect(read).toBe('half a sen');
    },
  );
});

describe('one exchange', () => {
  function paced(restMs = REST_MS) {
    const carrier = { pause: vi.fn(), resume: vi.fn(), drop: vi.fn() };
    const call = chatCall('http://provider');
    const settle = { resolve: () => undefined, reject: () => undefined };
    const exchange = new Exchange(
      call,
      'provider',
      new DeadlineSweep(clock),
      clock.monotonicMs(),
      settle,
      new ReadPacer(restMs),
    );
    exchange.onAssigned(carrier);
    exchange.onSent();
    exchange.onHead({ status: 200, header: () => undefined, headers: () => ({}) });
    return { exchange, carrier };
  }

  afterEach(() => endRest());

  it('rests from the moment it is asked to, not before', () => {
    const { exchange, carrier } = paced();
    expect(exchange.onBody(Buffer.from('first'))).toBe(true);
    expect(carrier.pause).not.toHaveBeenCalled();
    expect(resting()).toBe(false);
    exchange.pace();
    expect(carrier.pause).toHaveBeenCalledTimes(1);
    expect(resting()).toBe(true);
    endRest();
    expect(carrier.resume).toHaveBeenCalledTimes(1);
    expect(exchange.onBody(Buffer.from('second'))).toBe(false);
    exchange.abort('test over');
  });

  it('a large read is no reason to rest', async () => {
    const { exchange } = paced();
    exchange.pace();
    endRest();
    const reading = exchange.read();
    expect(exchange.onBody(Buffer.alloc(16 * 1024))).toBe(true);
    expect((await reading)?.length).toBe(16 * 1024);
    expect(resting()).toBe(false);
    expect(exchange.onBody(Buffer.alloc(16 * 1024 - 1))).toBe(false);
    expect(resting()).toBe(true);
    exchange.abort('test over');
  });

  it('pieces of one turn are one read, also in front of a large one', async () => {
    const { exchange } = paced();
    exchange.pace();
    endRest();
    const reading = exchange.read();
    exchange.onBody(Buffer.from('a'));
    exchange.onBody(Buffer.from('b'));
    exchange.onBody(Buffer.alloc(16 * 1024, 'c'));
    expect(asText(await reading)).toBe(`ab${'c'.repeat(16 * 1024)}`);
    exchange.abort('test over');
  });

  it('what came in the turn of the end or of a failure is read in front of it', async () => {
    const { exchange } = paced();
    exchange.pace();
    const last = exchange.read();
    exchange.onBody(Buffer.from('last'));
    exchange.onEnd();
    expect(asText(await last)).toBe('last');
    expect(exchange.over).toBe(true);
    expect(await exchange.read()).toBeNull();

    const { exchange: broken } = paced();
    broken.pace();
    const reading = broken.read();
    broken.onBody(Buffer.from('half'));
    broken.onError(Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
    expect(asText(await reading)).toBe('half');
    await expect(broken.read()).rejects.toBeInstanceOf(TransportError);
  });

  it('the end of a rest does not read on for a full queue, and a reader does not end a rest', async () => {
    const { exchange, carrier } = paced();
    exchange.pace();
    endRest();
    carrier.resume.mockClear();
    for (let at = 0; at < 5; at++) exchange.onBody(Buffer.alloc(16 * 1024));
    expect(exchange.onBody(Buffer.from('more'))).toBe(false);
    expect(resting()).toBe(true);
    await exchange.read();
    expect(carrier.resume).not.toHaveBeenCalled();
    for (let at = 0; at < 5; at++) exchange.onBody(Buffer.alloc(16 * 1024));
    endRest();
    expect(carrier.resume).not.toHaveBeenCalled();
    await exchange.read();
    expect(carrier.resume).toHaveBeenCalledTimes(1);
    exchange.abort('test over');
  });

  it('a rest that ends after its stream touches no connection', () => {
    const { exchange, carrier } = paced();
    exchange.pace();
    exchange.onEnd();
    endRest();
    expect(carrier.resume).not.toHaveBeenCalled();
  });

  it('what is released during a rest is read and dropped after it', () => {
    const { exchange, carrier } = paced();
    exchange.pace();
    exchange.onBody(Buffer.from('unwanted'));
    exchange.release();
    endRest();
    expect(carrier.resume).toHaveBeenCalledTimes(1);
    expect(exchange.onBody(Buffer.from('more'))).toBe(true);
    expect(resting()).toBe(false);
    exchange.onEnd();
    expect(exchange.over).toBe(true);
  });
});

describe('the pacer', () => {
  const stream = () => ({ handOver: vi.fn(), readOn: vi.fn() });

  it('has one timer for all, and a stream that rests later goes on with the others', () => {
    const pacer = new ReadPacer(12);
    const [early, late] = [stream(), stream()];
    expect(pacer.rest(early, 0)).toBe(true);
    vi.advanceTimersByTime(8);
    expect(pacer.rest(late, 100)).toBe(true);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(3);
    expect(early.readOn).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(early.readOn).toHaveBeenCalledTimes(1);
    expect(late.readOn).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a stream that rests again while others go on waits for the next end', () => {
    const pacer = new ReadPacer(12);
    const again = stream();
    again.readOn.mockImplementationOnce(() => void pacer.rest(again, 1));
    pacer.rest(again, 1);
    vi.advanceTimersByTime(12);
    expect(again.readOn).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(12);
    expect(again.readOn).toHaveBeenCalledTimes(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    [50, 1],
    [51, 2],
    [100, 2],
    [101, 3],
    [5_000, 3],
  ])('%i streams go on together at the end of rest %i', (count, rests) => {
    const pacer = new ReadPacer(12);
    const readOn = vi.fn();
    const restAll = () => {
      for (let at = 0; at < count; at++) pacer.rest({ handOver: () => undefined, readOn }, 1);
    };
    restAll();
    vi.advanceTimersByTime(rests * 12 - 1);
    expect(readOn).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(readOn).toHaveBeenCalledTimes(count);
    expect(vi.getTimerCount()).toBe(0);
    restAll();
    vi.advanceTimersByTime(rests * 12 - 1);
    expect(readOn).toHaveBeenCalledTimes(count);
    vi.advanceTimersByTime(1);
    expect(readOn).toHaveBeenCalledTimes(count * 2);
  });

  it('few streams behind many rest as long as few', () => {
    const pacer = new ReadPacer(12);
    for (let at = 0; at < 120; at++) pacer.rest(stream(), 1);
    vi.advanceTimersByTime(36);
    const alone = stream();
    pacer.rest(alone, 1);
    vi.advanceTimersByTime(12);
    expect(alone.readOn).toHaveBeenCalledTimes(1);
  });

  it('hands over in the turn of the read, once', async () => {
    const pacer = new ReadPacer(12);
    const resting = stream();
    pacer.rest(resting, 1);
    expect(resting.handOver).not.toHaveBeenCalled();
    await turns();
    expect(resting.handOver).toHaveBeenCalledTimes(1);
    expect(resting.readOn).not.toHaveBeenCalled();
    vi.advanceTimersByTime(12);
  });

  it('with 0, and after a large read, there is no rest', () => {
    expect(new ReadPacer(0).rest(stream(), 1)).toBe(false);
    const pacer = new ReadPacer(12);
    expect(pacer.rest(stream(), 16 * 1024)).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
    expect(pacer.rest(stream(), 16 * 1024 - 1)).toBe(true);
    vi.advanceTimersByTime(12);
  });
});
