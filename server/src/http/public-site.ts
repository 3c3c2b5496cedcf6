/**
 * The one public address of this service: links in messages, the origin of SMS codes (WebOTP) and the passkeys' site
 * come from it. The caller controls `Host`, so it is never used: otherwise our own messages could lead elsewhere.
 */
import type { Server } from 'node:net';
import type { Site } from '../people/index.ts';

export type PublicSite = () => Site;

/** `DARGAH_PUBLIC_URL`; without it the address that the server listens on, which is enough to try the service. */
export function publicSite(publicUrl: string | undefined, server: Pick<Server, 'address'>): PublicSite {
  return () => {
    const { origin, hostname, pathname } = new URL(publicUrl ?? listeningAddress(server));
    return { origin, host: hostname, address: origin + (pathname === '/' ? '' : pathname) };
  };
}

/** Browsers keep passkeys for names, not for IP addresses, so this machine is called `localhost`. */
function listeningAddress(server: Pick<Server, 'address'>): string {
  const listening = server.address();
  if (listening === null || typeof listening === 'string') return 'http://localhost';
  const { address, port } = listening;
  const isHere = /^(127\.|::1$|0\.0\.0\.0$|::$|::ffff:127\.)/.test(address);
  const host = isHere ? 'localhost' : address.includes(':') ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
