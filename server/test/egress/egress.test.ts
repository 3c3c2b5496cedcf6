/** Providers reached through proxies: HTTP CONNECT and SOCKS5, with and without a sign-in, several in order. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { type EgressTerms, readEgress, readEnvironmentEgress } from '../../src/platform/upstream/egress/index.ts';
import { createTransport, type TransportError, type UpstreamCall } from '../../src/platform/upstream/index.ts';
import { type FakeVendor, faults, startFakeVendor } from '../fake-vendor/index.ts';
import { startConnectProxy, startSocksProxy, type TestProxy } from './proxies.ts';

let vendor: FakeVendor;
let http: TestProxy;
let socks: TestProxy;
let port: string;

beforeAll(async () => {
  vendor = await startFakeVendor();
  port = new URL(vendor.origin).port;
  // A name that only the proxies know: whoever resolves it here fails.
  const terms = { username: 'who', password: 'p@ss/word', names: { 'vendor.test': '127.0.0.1' } };
  http = await startConnectProxy(terms);
  socks = await startSocksProxy(terms);
});
afterAll(() => Promise.all([vendor.close(), http.close(), socks.close()]));
beforeEach(() => {
  for (const proxy of [http, socks]) {
    proxy.asked.length = 0;
    proxy.behave('well');
  }
});

const PASSWORD = encodeURIComponent('p@ss/word');
const httpWay = () => `http://who:${PASSWORD}@${http.address}`;
const socksWay = (scheme = 'socks5h') => `${scheme}://who:${PASSWORD}@${socks.address}`;
const terms = (ways: string[] | undefined): EgressTerms => ({
  key: JSON.stringify(ways),
  ways,
  caFile: undefined,
  sourceAddress: undefined,
});

function callTo(host: string, egress: EgressTerms | undefined): UpstreamCall {
  const limits = { connectMs: 5_000, headersMs: 5_000, idleMs: 5_000 };
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
  const headers = { 'content-type': 'application/json' };
  return {
    pool: 'p',
    url: `http://${host}:${port}/v1/chat/completions`,
    method: 'POST',
    headers,
    body,
    egress,
    ...limits,
  };
}

async function send(host: string, ways: string[], client: 'own' | 'node' = 'own') {
  const transport = createTransport({ clock: systemClock, client });
  try {
    const reply = await transport.send(callTo(host, terms(ways)));
    await reply.text(100_000);
    return { status: reply.status, via: reply.via };
  } finally {
    await transport.close();
  }
}

describe.each(['own', 'node'] as const)('the %s client', (client) => {
  it('reaches a provider through CONNECT with a name and password; the proxy resolves the name', async () => {
    const { status, via } = await send('vendor.test', [httpWay()], client);
    expect({ status, asked: http.asked }).toEqual({ status: 200, asked: [`vendor.test:${port}`] });
    expect(via).toBe(`http://who:…@${http.address}`);
  });

  it('reaches a provider through SOCKS5 and lets the proxy resolve the name (socks5h)', async () => {
    const { status, via } = await send('vendor.test', [socksWay()], client);
    expect({ status, asked: socks.asked }).toEqual({ status: 200, asked: [`vendor.test:${port}`] });
    expect(via).toBe(`socks5h://who:…@${socks.address}`);
  });

  it('resolves the name itself for socks5', async () => {
    const { status } = await send('localhost', [socksWay('socks5')], client);
    expect(status).toBe(200);
    expect(socks.asked[0]).toMatch(/^(127\.0\.0\.1|ipv6):/);
  });
});

describe('several ways out', () => {
  it('goes by the next when the first cannot be reached, and then first by the one that works', async () => {
    const transport = createTransport({ clock: systemClock });
    const ways = terms(['http://127.0.0.1:1', socksWay()]);
    const first = await transport.send(callTo('vendor.test', ways));
    await first.text(100_000);
    expect(first.via).toContain('socks5h');
    expect(transport.egressHealth()).toMatchObject([
      { name: 'http://127.0.0.1:1', state: 'failing', failures: 1, cause: expect.stringContaining('ECONNREFUSED') },
      { state: 'ok' },
    ]);
    const second = await transport.send(callTo('vendor.test', ways));
    await second.text(100_000);
    expect(transport.egressHealth()[0]).toMatchObject({ failures: 1 });
    await transport.close();
  });

  it('goes by the next when a proxy refuses the password, the tunnel, or is none at all', async () => {
    const wrong = `http://who:guess@${http.address}`;
    expect((await send('vendor.test', [wrong, socksWay()])).via).toContain('socks5h');
    http.behave('refuse');
    expect((await send('vendor.test', [httpWay(), socksWay()])).via).toContain('socks5h');
    http.behave('garbage');
    expect((await send('vendor.test', [httpWay(), socksWay()])).via).toContain('socks5h');
  });

  it.each([
    ['answers with something else than a proxy', 'garbage', 1],
    ['refuses the tunnel', 'refuse', 0],
  ] as const)('a proxy that %s stands back only when it is itself to blame', async (_what, behaviour, failures) => {
    http.behave(behaviour);
    const transport = createTransport({ clock: systemClock });
    const reply = await transport.send(callTo('vendor.test', terms([httpWay(), socksWay()])));
    await reply.text(100_000);
    expect(transport.egressHealth()).toMatchObject([{ failures }, { state: 'ok' }]);
    await transport.close();
  });

  it('says which way failed at what, without its password, when none works', async () => {
    const failure = await send('vendor.test', [`socks5h://who:guess@${socks.address}`]).catch(
      (error: TransportError) => error.failure,
    );
    expect(failure).toMatchObject({ kind: 'connect', code: 'egress' });
    const { message } = failure as { message: string };
    expect(message).toContain('refuses the name or password');
    expect(message).not.toContain('guess');
  });

  it('goes by the next when a proxy is silent, which then stands back', async () => {
    http.behave('silent');
    const transport = createTransport({ clock: systemClock });
    const call = { ...callTo('vendor.test', terms([httpWay(), socksWay()])), connectMs: 4_000 };
    for (const round of [1, 2]) {
      const reply = await transport.send(call);
      await reply.text(100_000);
      expect([round, reply.via, http.asked.length]).toEqual([round, expect.stringContaining('socks5h'), 1]);
    }
    expect(transport.egressHealth()).toMatchObject([{ state: 'failing', failures: 1 }, { state: 'ok' }]);
    await transport.close();
  });

  it('goes by the next when the direct way does not lead there, and only there it stands back', async () => {
    const transport = createTransport({ clock: systemClock });
    const reply = await transport.send(callTo('vendor.test', terms(['direct', socksWay()])));
    await reply.text(100_000);
    expect(reply.via).toContain('socks5h');
    const direct = transport.egressHealth().find(({ name }) => name.startsWith('direct'));
    expect(direct).toMatchObject({ name: 'direct to vendor.test', state: 'failing' });
    const elsewhere = { ...callTo('127.0.0.1', terms(['direct', socksWay()])), pool: 'another' };
    const other = await transport.send(elsewhere);
    await other.text(100_000);
    expect(other.via).toBe('direct');
    await transport.close();
  });

  it('does not stand back for others because somebody has a wrong password for it', async () => {
    const transport = createTransport({ clock: systemClock });
    const wrong = { ...callTo('vendor.test', terms([`socks5h://who:guess@${socks.address}`])), pool: 'wrong' };
    await expect(transport.send(wrong)).rejects.toMatchObject({ failure: { code: 'egress' } });
    const reply = await transport.send(callTo('vendor.test', terms([socksWay(), httpWay()])));
    await reply.text(100_000);
    expect(reply.via).toContain('socks5h');
    await transport.close();
  });

  it('sends nothing by the next that a provider may have begun', async () => {
    const seen = vendor.requests.length;
    vendor.next(faults.resetBeforeHeaders());
    const failure = await send('vendor.test', [socksWay(), httpWay()]).catch((error: TransportError) => error);
    expect(failure).toMatchObject({ phase: 'headers' });
    expect(vendor.requests.length - seen).toBe(1);
    expect(http.asked).toEqual([]);
  });

  it('is bounded by the call’s connect limit when a proxy is silent', async () => {
    http.behave('silent');
    const transport = createTransport({ clock: systemClock });
    const call = { ...callTo('vendor.test', terms([httpWay()])), connectMs: 300 };
    await expect(transport.send(call)).rejects.toMatchObject({ failure: { kind: 'connect', code: 'connect_timeout' } });
    await transport.close();
  });
});

describe('the environment', () => {
  const read = (variables: Record<string, string>) => {
    const refused: string[] = [];
    const egress = readEnvironmentEgress(variables, (name) => refused.push(name));
    const to = (hostname: string, secure = true, at = 443) => egress.waysTo({ secure, hostname, port: at });
    return { to, refused, egress };
  };

  it('names the way to secure and to plain hosts', () => {
    const { to } = read({ HTTPS_PROXY: 'http://a:1', http_proxy: 'b:2' });
    expect(to('api.openai.com')).toEqual(['http://a:1']);
    expect(to('intern', false, 80)).toEqual(['http://b:2']);
    expect(read({ ALL_PROXY: 'socks5h://c:3' }).to('x')).toEqual(['socks5h://c:3']);
    expect(read({ DARGAH_EGRESS: 'socks5h://c:3,direct', HTTPS_PROXY: 'http://a:1' }).to('x')).toEqual([
      'socks5h://c:3',
      'direct',
    ]);
  });

  it('leaves out what NO_PROXY names: hosts and all below, addresses, ranges, ports', () => {
    const { to } = read({
      HTTPS_PROXY: 'http://a:1',
      NO_PROXY: 'intern.example, .corp, 10.0.0.0/8,192.168.1.7,fd00::/8,only.port:8443',
    });
    for (const host of ['intern.example', 'a.intern.example', 'x.corp', '10.9.8.7', '192.168.1.7', 'fd00::1'])
      expect(to(host), host).toEqual([]);
    for (const host of ['example', 'notintern.example', '11.0.0.1', '192.168.1.8'])
      expect(to(host), host).toHaveLength(1);
    expect(to('only.port', true, 8443)).toEqual([]);
    expect(to('only.port', true, 443)).toHaveLength(1);
    expect(read({ HTTPS_PROXY: 'http://a:1', NO_PROXY: '*' }).to('x')).toEqual([]);
  });

  it('is refused by name where it cannot be understood', () => {
    expect(read({ HTTPS_PROXY: 'ftp://a:1' }).refused).toEqual(['HTTPS_PROXY']);
    expect(read({ DARGAH_SOURCE_ADDRESS: 'here' }).refused).toEqual(['DARGAH_SOURCE_ADDRESS']);
  });

  it('applies to providers only: other calls go out directly', async () => {
    const environmentEgress = readEnvironmentEgress({ HTTP_PROXY: httpWay() }, () => undefined);
    const transport = createTransport({ clock: systemClock, environmentEgress });
    const direct = await transport.send({ ...callTo('127.0.0.1', undefined), pool: 'bank' });
    await direct.text(100_000);
    expect(http.asked).toEqual([]);
    const provider = await transport.send({ ...callTo('127.0.0.1', terms(undefined)), pool: 'provider' });
    await provider.text(100_000);
    expect(http.asked).toEqual([`127.0.0.1:${port}`]);
    await transport.close();
  });
});

describe('an address of a way out', () => {
  it('is read with its default port, and shown without its password', () => {
    expect(readEgress('socks5h://host')).toMatchObject({ kind: 'socks5h', host: 'host', port: 1080 });
    expect(readEgress('http://u:p%40@[::1]:3128')).toMatchObject({
      host: '::1',
      port: 3128,
      username: 'u',
      password: 'p@',
    });
    expect(readEgress('http://u:secret@h:80')).toMatchObject({ name: 'http://u:…@h:80', port: 80 });
  });

  it('is refused with what it should be', () => {
    for (const wrong of ['', 'host:1080', 'ftp://h', 'http://', 'http://h/path', 'http://h:0', 'http://h:99999'])
      expect(typeof readEgress(wrong), wrong).toBe('string');
  });
});
