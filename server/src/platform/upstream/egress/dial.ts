/** Opens a connection to a destination through one way out. Nothing of the destination's own talk is read. */
import { lookup } from 'node:dns/promises';
import net, { type Socket } from 'node:net';
import tls from 'node:tls';
import ipaddr from 'ipaddr.js';
import type { ConnectTarget } from '#http-client';
import type { Egress } from './address.ts';
import { reader } from './handshake-reader.ts';

export interface DialTerms {
  /** The address of this machine that connections come from. */
  localAddress?: string | undefined;
}

/** `step` tells the operator how far the connection came. */
export class EgressError extends Error {
  readonly code = 'EGRESS_FAILED';
  /**
   * `handshake`: the other end does not speak a proxy's protocol, or breaks off. `tunnel`: the proxy works, but cannot reach the
   * destination.
   */
  readonly step: 'connect' | 'tls' | 'handshake' | 'auth' | 'tunnel';
  constructor(egress: Egress, step: EgressError['step'], cause: string) {
    super(`${egress.name}: ${cause}`);
    this.step = step;
  }
}

export async function dial(
  egress: Egress,
  target: ConnectTarget,
  terms: DialTerms,
  signal: AbortSignal,
): Promise<Socket> {
  const own = terms.localAddress === undefined ? {} : { localAddress: terms.localAddress };
  if (egress.kind === 'direct')
    return opened(net.connect({ host: target.hostname, port: target.port, ...own }), 'connect', egress, signal);
  const address = { host: egress.host, port: egress.port, ...own };
  const socket =
    egress.kind === 'https'
      ? tls.connect({ ...address, ...(net.isIP(egress.host) === 0 ? { servername: egress.host } : {}) })
      : net.connect(address);
  const stop = () => socket.destroy(new Error('not needed any more'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    await opened(socket, egress.kind === 'https' ? 'secureConnect' : 'connect', egress, signal);
    socket.setNoDelay(true);
    if (egress.kind === 'socks5' || egress.kind === 'socks5h') await socks5(socket, egress, target);
    else await httpConnect(socket, egress, target);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error instanceof EgressError ? error : new EgressError(egress, 'handshake', messageOf(error));
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  egress: Egress,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const stop = () => socket.destroy(new Error('not needed any more'));
    const finish = () => {
      socket.off('error', failed);
      signal.removeEventListener('abort', stop);
    };
    const failed = (error: NodeJS.ErrnoException) => {
      finish();
      const step = event === 'secureConnect' && /^(ERR_TLS|CERT_|DEPTH_|UNABLE_|SELF_|ERR_SSL)/.test(error.code ?? '');
      // The error of a direct connection is passed on as it is: no proxy is involved.
      reject(egress.kind === 'direct' ? error : new EgressError(egress, step ? 'tls' : 'connect', messageOf(error)));
    };
    signal.addEventListener('abort', stop, { once: true });
    socket.once('error', failed);
    socket.once(event, () => {
      finish();
      resolve(socket);
    });
  });
}

async function httpConnect(socket: Socket, egress: Egress, { hostname, port }: ConnectTarget): Promise<void> {
  const host = net.isIPv6(hostname) ? `[${hostname}]:${port}` : `${hostname}:${port}`;
  const { username, password = '' } = egress;
  const credentials = username === undefined ? undefined : Buffer.from(`${username}:${password}`).toString('base64');
  const lines = [`CONNECT ${host} HTTP/1.1`, `Host: ${host}`];
  if (credentials !== undefined) lines.push(`Proxy-Authorization: Basic ${credentials}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const head = await reader(socket).until('\r\n\r\n', 16_384);
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0);
  if (status === 407) throw new EgressError(egress, 'auth', 'the proxy refuses the name or password');
  if (status === 0) throw new EgressError(egress, 'handshake', 'the answer is not HTTP');
  if (status < 200 || status > 299) throw new EgressError(egress, 'tunnel', `the proxy answered ${status}`);
}

const SOCKS_VERSION = 5;
const NO_AUTH = 0;
const USER_AND_PASSWORD = 2;
const CONNECT = 1;
const REPLIES: Record<number, string> = {
  1: 'general failure',
  2: 'not allowed by its rules',
  3: 'the network cannot be reached',
  4: 'the host cannot be reached',
  5: 'the connection was refused',
  6: 'it took too long',
  7: 'it does not know this command',
  8: 'it does not know this kind of address',
};

/** RFC 1928 and 1929. */
async function socks5(socket: Socket, egress: Egress, target: ConnectTarget): Promise<void> {
  const read = reader(socket);
  const methods = egress.username === undefined ? [NO_AUTH] : [NO_AUTH, USER_AND_PASSWORD];
  socket.write(Buffer.from([SOCKS_VERSION, methods.length, ...methods]));
  const [version, method] = await read.exactly(2);
  if (version !== SOCKS_VERSION) throw new EgressError(egress, 'handshake', 'the answer is not SOCKS5');
  if (method === USER_AND_PASSWORD) await socksSignIn(socket, egress, read);
  else if (method !== NO_AUTH) throw new EgressError(egress, 'auth', 'the proxy wants a sign-in that we cannot offer');
  const address = await socksAddress(egress, target);
  socket.write(Buffer.concat([Buffer.from([SOCKS_VERSION, CONNECT, 0]), address, portBytes(target.port)]));
  const [, reply = 1, , kind] = await read.exactly(4);
  if (reply !== 0) throw new EgressError(egress, 'tunnel', REPLIES[reply] ?? `reply ${reply}`);
  // The address that the proxy uses does not matter, but must be read to its end.
  const rest = kind === 1 ? 4 : kind === 4 ? 16 : ((await read.exactly(1))[0] ?? 0);
  await read.exactly(rest + 2);
}

async function socksSignIn(socket: Socket, egress: Egress, read: ReturnType<typeof reader>): Promise<void> {
  const name = Buffer.from(egress.username ?? '');
  const password = Buffer.from(egress.password ?? '');
  socket.write(Buffer.concat([Buffer.from([1, name.length]), name, Buffer.from([password.length]), password]));
  const [, status] = await read.exactly(2);
  if (status !== 0) throw new EgressError(egress, 'auth', 'the proxy refuses the name or password');
}

/** `socks5h` hands the name over; `socks5` resolves it here. */
async function socksAddress(egress: Egress, { hostname }: ConnectTarget): Promise<Buffer> {
  const literal = net.isIP(hostname);
  if (literal === 0 && egress.kind === 'socks5h') {
    const name = Buffer.from(hostname);
    if (name.length > 255) throw new EgressError(egress, 'tunnel', 'the name of the host is too long');
    return Buffer.concat([Buffer.from([3, name.length]), name]);
  }
  const address = literal === 0 ? await resolved(egress, hostname) : hostname;
  return Buffer.from([net.isIPv4(address) ? 1 : 4, ...ipaddr.parse(address).toByteArray()]);
}

async function resolved(egress: Egress, hostname: string): Promise<string> {
  try {
    return (await lookup(hostname)).address;
  } catch (error) {
    throw new EgressError(egress, 'tunnel', messageOf(error));
  }
}

function portBytes(port: number): Buffer {
  return Buffer.from([port >> 8, port & 255]);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
