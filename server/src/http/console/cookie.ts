/** The session cookie, and whether a change comes from our own pages. */

import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../../core/errors.ts';
import { expected } from '../../core/expected.ts';
import { reasons } from '../../core/reasons.ts';
import { httpReasons } from '../reasons.ts';

const LIFETIME_S = 30 * 24 * 3600;

/** The prefix `__Host-` requires https; a browser then accepts the cookie only from this host. */
function nameOf(isSecure: boolean): string {
  return isSecure ? '__Host-dargah' : 'dargah';
}

export function sessionCookie(secret: string, isSecure: boolean): string {
  return cookie(nameOf(isSecure), secret, LIFETIME_S, isSecure);
}

export function endedCookie(isSecure: boolean): string {
  return cookie(nameOf(isSecure), '', 0, isSecure);
}

function cookie(name: string, value: string, maxAgeS: number, isSecure: boolean): string {
  return `${name}=${value}; HttpOnly; SameSite=Lax; Path=/; Max-Age=${maxAgeS}${isSecure ? '; Secure' : ''}`;
}

export function readSession(headers: IncomingHttpHeaders, isSecure: boolean): string | undefined {
  const wanted = `${nameOf(isSecure)}=`;
  for (const part of (headers.cookie ?? '').split(';', 64)) {
    const text = part.trim();
    if (text.startsWith(wanted)) return text.slice(wanted.length);
  }
  return undefined;
}

/**
 * Browsers send the origin with every change. A request from another site's page is refused, whatever cookie it
 * carries, and so is a change by cookie without an origin. Programs without a cookie need no origin. Where the service
 * is reached by https, a page that came without TLS is not trusted, because anybody on the network can forge it.
 */
export function refuseForeignOrigin(headers: IncomingHttpHeaders, isSecure: boolean, byCookie: boolean): void {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  const own = origin !== undefined && isOwn(origin, headers.host, isSecure);
  const isFromBrowser = origin !== undefined || site !== undefined;
  if (!isFromBrowser && !byCookie) return;
  const passes = origin === undefined ? site === 'same-origin' : own && (site === undefined || site === 'same-origin');
  if (passes) return;
  throw new GatewayError('foreign_origin', {
    reason: httpReasons.foreignOrigin,
  });
}

function isOwn(origin: string, host: string | undefined, isSecure: boolean): boolean {
  if (!URL.canParse(origin)) return false;
  const { host: originHost, protocol } = new URL(origin);
  return originHost === host && (!isSecure || protocol === 'https:');
}

/**
 * A form of another site can send text and forms, never JSON, so a change must be JSON except where files are uploaded.
 */
export function refuseOtherContent({ headers, takesForm }: { headers: IncomingHttpHeaders; takesForm: boolean }): void {
  const type = headers['content-type'];
  if (type === undefined || /^application\/json\b/i.test(type)) return;
  if (takesForm && /^multipart\/form-data\b/i.test(type)) return;
  throw new GatewayError('invalid_request', {
    param: 'Content-Type',
    reason: reasons.mustBe('Content-Type', expected.exactly('application/json')),
  });
}
