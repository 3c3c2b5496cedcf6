/** The destination of a pool's connections, and how they are opened. */
import net, { type LookupFunction, type Socket } from 'node:net';
import tls from 'node:tls';

/**
 * Opens the connection to a destination in another way than directly: through a proxy, a tunnel or a socket file. Resolves with a
 * connected socket on which nothing was read; TLS with the destination, where it has it, is then spoken over this socket.
 */
export type Connector = (target: ConnectTarget, signal: AbortSignal) => Promise<Socket>;

export interface ConnectTarget {
  hostname: string;
  port: number;
}

export interface Destination extends ConnectTarget {
  secure: boolean;
  /** As in the `Host` header, without the default port. */
  host: string;
  /** Certificates (PEM) that are trusted instead of the well-known ones. */
  certificateAuthorities?: string[] | undefined;
  /** How the name is resolved; the system's resolver by default. */
  lookup?: LookupFunction | undefined;
  /** The address of this machine that connections come from. */
  localAddress?: string | undefined;
  /** How long one address of several is tried before the next is tried beside it; undefined uses Node's default. */
  nextAddressMs?: number | undefined;
  connect?: Connector | undefined;
}

export function destinationOf({ protocol, hostname, host, port }: URL): Destination {
  const secure = protocol === 'https:';
  // An IPv6 address has brackets there.
  return { secure, host, hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (secure ? 443 : 80) };
}

/** The option of net.Socket that reads into a buffer of ours, which is used again for every read. */
interface OnRead {
  buffer: Buffer;
  callback(length: number, buffer: Buffer): boolean;
}

export interface OpenOptions {
  /** The TLS session of an earlier connection, which shortens the handshake. */
  session?: Buffer | undefined;
  onread?: OnRead;
}

/** A direct connection. */
export function openDirect(destination: Destination, { session, onread }: OpenOptions): Socket {
  const { hostname, port, lookup, localAddress, nextAddressMs } = destination;
  const address = {
    host: hostname,
    port,
    ...(lookup ? { lookup } : {}),
    ...(localAddress === undefined ? {} : { localAddress }),
    ...(nextAddressMs === undefined ? {} : { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: nextAddressMs }),
    ...(onread ? { onread } : {}),
  };
  if (!destination.secure) return net.connect(address);
  return tls.connect({ ...address, ...tlsOptions(destination, session) });
}

/** TLS over a socket that a connector has opened. */
export function secureOver(socket: Socket, destination: Destination, session: Buffer | undefined): Socket {
  return tls.connect({ socket, ...tlsOptions(destination, session) });
}

function tlsOptions(
  { hostname, certificateAuthorities }: Destination,
  session: Buffer | undefined,
): tls.ConnectionOptions {
  return {
    ALPNProtocols: ['http/1.1'],
    // The certificate of an address is checked against the address; a server name must be a name.
    ...(net.isIP(hostname) === 0 ? { servername: hostname } : { host: hostname }),
    ...(certificateAuthorities ? { secureContext: contextOf(certificateAuthorities) } : {}),
    ...(session ? { session } : {}),
  };
}

/** Made once per list: reading a hundred certificates for every connection would hold the process up. */
const contexts = new WeakMap<readonly string[], tls.SecureContext>();

function contextOf(authorities: string[]): tls.SecureContext {
  let context = contexts.get(authorities);
  if (!context) {
    context = tls.createSecureContext({ ca: authorities });
    contexts.set(authorities, context);
  }
  return context;
}
