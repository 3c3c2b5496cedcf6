import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { isPublicAddress } from '../../../src/platform/upstream/address-rules.ts';
import { createSafeFetch, type FetchLimits, SafeFetchError } from '../../../src/platform/upstream/index.ts';
import type { SafeFetchOptions } from '../../../src/platform/upstream/safe-fetch.ts';
import { createGate, type FakeVendor, startFakeVendor } from '../../fake-vendor/index.ts';
import { ManualClock } from './call.ts';

const LIMITS: FetchLimits = { maxBytes: 10_000, totalMs: 10_000 };
let server: FakeVendor;
let host: string;

beforeAll(async () => {
  server = await startFakeVendor();
  host = new URL(server.origin).host;
});
afterEach(() => server.reset());
afterAll(() => server.close());

const publicName = () => Promise.resolve([{ address: '93.184.216.34', family: 4 as const }]);
const loopback = () => Promise.resolve([{ address: '127.0.0.1', family: 4 as const }]);

async function refusal(url: string, options: Partial<SafeFetchOptions> = {}, limits: Partial<FetchLimits> = {}) {
  const fetchSafely = createSafeFetch({ clock: systemClock, resolve: publicName, ...options });
  try {
    await fetchSafely(url, { ...LIMITS, ...limits });
  } catch (error) {
    expect(error).toBeInstanceOf(SafeFetchError);
    return (error as SafeFetchError).reason;
  }
  return 'fetched';
}

describe('addresses that lead inside', () => {
  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://0/',
    'https://0.0.0.0/',
    'https://10.1.2.3/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://100.64.0.1/',
    'https://100.100.100.200/',
    'https://168.63.129.16/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[64:ff9b:1::a00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:0:7f00:1::]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
    'https://①②⑦.0.0.1/',
    'https://%31%32%37.0.0.1/',
    'https://public.example@127.0.0.1/',
    'https:127.0.0.1/',
  ])('%s', async (url) => {
    expect(await refusal(url)).toMatch(/^(forbidden-address|bad-url)$/);
    expect(await refusal(url.replace('https', 'http'), { allowHttp: true })).toMatch(/^(forbidden-address|bad-url)$/);
    expect(server.requests).toHaveLength(0);
  });

  it('disguised forms are refused even where they would be public', async () => {
    for (const url of ['https://134744072/', 'https://0x08.8.8.8/', 'https://8.8.2056/'])
      expect(await refusal(url)).toBe('bad-url');
  });

  it('names that resolve inside, also with one public address beside it', async () => {
    expect(await refusal('https://intranet.example/', { resolve: loopback })).toBe('forbidden-address');
    const mixed = async () => [...(await publicName()), ...(await loopback())];
    expect(await refusal('https://mixed.example/', { resolve: mixed })).toBe('forbidden-address');
    expect(await refusal('https://localhost./')).not.toBe('fetched');
    const nothing = () => Promise.resolve([]);
    expect(await refusal('https://empty.example/', { resolve: nothing })).toBe('dns');
    expect(await refusal('https://unknown.example/', { resolve: () => Promise.reject(new Error('ENOTFOUND')) })).toBe(
      'dns',
    );
  });

  it.each([
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'data:text/plain,x',
  ])('the scheme of %s', async (url) => {
    expect(await refusal(url)).toBe('scheme');
  });

  it.each(['', 'not a url', '//example.com', 'https://', `https://example.com/${'a'.repeat(5000)}`])(
    '%j is no address',
    async (url) => {
      expect(await refusal(url)).toBe('bad-url');
    },
  );

  it('knows public addresses from others', () => {
    for (const good of ['8.8.8.8', '93.184.216.34', '2606:4700::1111']) expect(isPublicAddress(good)).toBe(true);
    for (const bad of ['', 'localhost', '256.1.1.1', '192.0.2.1', '2001:db8::1', '192.88.99.1'])
      expect(isPublicAddress(bad)).toBe(false);
  });
});

describe('what is checked is what is connected to', () => {
  it('a name that changes its answer after the check reaches the checked address only', async () => {
    // The first answer is ours on loopback (allowed by name); every later one would be a forbidden place.
    const answers: string[] = [];
    const rebinding = () => {
      const address = answers.length === 0 ? '127.0.0.1' : '127.0.0.9';
      answers.push(address);
      return Promise.resolve([{ address, family: 4 as const }]);
    };
    server.next((wire) => {
      wire.head(200, { 'content-type': 'text/plain' });
      wire.end('pinned');
    });
    const port = new URL(server.origin).port;
    const fetchSafely = createSafeFetch({
      clock: systemClock,
      resolve: rebinding,
      allowHttp: true,
      allowedHosts: ['rebind.example'],
    });
    const fetched = await fetchSafely(`http://rebind.example:${port}/`, LIMITS);
    expect(Buffer.from(fetched.bytes).toString()).toBe('pinned');
    expect(answers).toEqual(['127.0.0.1']);
    expect(server.requests[0]?.headers.host).toBe(`rebind.example:${port}`);
  });

  it('a name that turns private between two hops is refused at the second', async () => {
    let asked = 0;
    const rebinding = () => {
      asked++;
      return asked === 1 ? loopback() : Promise.resolve([{ address: '10.0.0.1', family: 4 as const }]);
    };
    const port = new URL(server.origin).port;
    server.next((wire) => {
      wire.head(302, { location: `http://other.example:${port}/secret` });
      wire.end();
    });
    const options = { resolve: rebinding, allowHttp: true, allowedHosts: ['first.example'] };
    expect(await refusal(`http://first.example:${port}/`, options)).toBe('forbidden-address');
    expect(server.requests).toHaveLength(1);
  });
});

describe('fetching', () => {
  const allowed = () => ({ allowHttp: true, allowedHosts: [host] });
  const reply = (status: number, headers: Record<string, string>, body = '') =>
    server.next((wire) => {
      wire.head(status, headers);
      wire.end(body);
    });

  it('returns bytes, type and final address, and sends nothing of ours', async () => {
    reply(301, { location: '/b?x=1' });
    reply(200, { 'content-type': 'Image/PNG; charset=x' }, 'png');
    const fetched = await createSafeFetch({ clock: systemClock, ...allowed() })(`${server.origin}/a`, {
      ...LIMITS,
      types: ['image/*'],
    });
    expect(fetched).toMatchObject({ type: 'image/png', url: `${server.origin}/b?x=1` });
    expect(Buffer.from(fetched.bytes).toString()).toBe('png');
    expect(server.requests[1]?.path).toBe('/b?x=1');
    expect(Object.keys(server.requests[1]?.headers ?? {}).sort()).toEqual([
      'accept',
      'connection',
      'host',
      'user-agent',
    ]);
  });

  it('follows three redirects and no more', async () => {
    for (let i = 0; i < 4; i++) reply(307, { location: `/${i}` });
    expect(await refusal(`${server.origin}/`, allowed())).toBe('too-many-redirects');
    expect(server.requests).toHaveLength(4);
  });

  it.each(['file:///etc/passwd', 'https://169.254.169.254/', '//10.0.0.1/', 'http://2130706433/'])(
    'does not follow a redirect to %s',
    async (location) => {
      reply(302, { location });
      expect(await refusal(`${server.origin}/`, allowed())).toMatch(/^(scheme|forbidden-address|bad-url)$/);
      expect(server.requests).toHaveLength(1);
    },
  );

  it('bounds size, type, status and time', async () => {
    reply(200, { 'content-type': 'text/plain' }, 'x'.repeat(10_001));
    expect(await refusal(`${server.origin}/`, allowed())).toBe('too-large');
    reply(200, { 'content-type': 'text/html' }, '<p>');
    expect(await refusal(`${server.origin}/`, allowed(), { types: ['image/*', 'application/pdf'] })).toBe('type');
    reply(404, {});
    expect(await refusal(`${server.origin}/`, allowed())).toBe('status');
    const clock = new ManualClock();
    const gate = createGate();
    server.next(async (wire) => {
      wire.head(200, { 'content-type': 'text/plain' });
      await gate.pass();
    });
    const slow = refusal(`${server.origin}/`, { ...allowed(), clock });
    await gate.reached;
    clock.advance(10_000);
    expect(await slow).toBe('timeout');
    gate.open();
  });

  it('leaves no connection behind', async () => {
    reply(200, { 'content-type': 'text/plain' }, 'x');
    await createSafeFetch({ clock: systemClock, ...allowed() })(`${server.origin}/`, LIMITS);
    await server.idle();
    expect(server.openSockets).toBe(0);
  });
});
