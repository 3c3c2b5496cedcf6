/**
 * Requests for a token and their answers: Google's signed assertion (RFC 7523) and Entra's client credentials (RFC
 * 6749).
 */
import { createSign } from 'node:crypto';
import {
  type EntraApp,
  readEntraApp,
  readServiceAccount,
  type ServiceAccount,
} from '../../../core/cloud-credentials.ts';
import type { UpstreamFailure } from '../../../core/failure.ts';
import { isJsonObject, parseTrustedJson } from '../../../core/json.ts';
import type { FetchedToken } from './token-cache.ts';

export type TokenScheme = 'google-service-account' | 'entra';

export interface TokenRequest {
  url: string;
  /** A form, URL-encoded. */
  body: string;
}

const GOOGLE_SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const AZURE_SCOPE = 'https://cognitiveservices.azure.com/.default';
const ASSERTION_SECONDS = 3_600;
/** Used where a server does not say how long its token lasts. */
const USUAL_SECONDS = 3_600;
const MAX_MESSAGE = 500;

/** Returns undefined when the secret does not fit the scheme, which only an older version can have accepted. */
export function tokenRequest(scheme: TokenScheme, secret: string, nowMs: number): TokenRequest | undefined {
  if (scheme === 'entra') {
    const app = readEntraApp(secret);
    return app && entraRequest(app);
  }
  const account = readServiceAccount(secret);
  return account && googleRequest(account, nowMs);
}

function googleRequest(account: ServiceAccount, nowMs: number): TokenRequest {
  const issued = Math.floor(nowMs / 1000);
  const head = { alg: 'RS256', typ: 'JWT', ...(account.privateKeyId !== undefined && { kid: account.privateKeyId }) };
  const claims = {
    iss: account.clientEmail,
    scope: GOOGLE_SCOPE,
    aud: account.tokenUrl,
    iat: issued,
    exp: issued + ASSERTION_SECONDS,
  };
  const signed = `${encoded(head)}.${encoded(claims)}`;
  const signature = createSign('RSA-SHA256').update(signed).sign(account.privateKey, 'base64url');
  const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  const form = new URLSearchParams({ grant_type: grant, assertion: `${signed}.${signature}` });
  return { url: account.tokenUrl, body: form.toString() };
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function entraRequest({ tenantId, clientId, clientSecret, authority }: EntraApp): TokenRequest {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    scope: AZURE_SCOPE,
  });
  const base = authority.endsWith('/') ? authority.slice(0, -1) : authority;
  return { url: `${base}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`, body: form.toString() };
}

export function readToken(status: number, text: string, host: string): FetchedToken | UpstreamFailure {
  const answer = parseTrustedJson(text);
  const fields = isJsonObject(answer) ? answer : {};
  const { access_token: value, expires_in: seconds } = fields;
  if (status === 200 && typeof value === 'string' && value !== '' && !/[^\x21-\x7e]/.test(value)) {
    const lasts = typeof seconds === 'number' && seconds > 0 ? seconds : Number(seconds) || USUAL_SECONDS;
    return { value, lastsMs: lasts * 1000 };
  }
  const problem = [fields['error'], fields['error_description']].filter((part) => typeof part === 'string').join(': ');
  const cause = problem === '' ? `status ${status}` : problem.slice(0, MAX_MESSAGE);
  const clock = isAboutTime(cause) ? ' The clock of this machine is probably wrong.' : '';
  return {
    kind: status === 429 ? 'rate-limited' : status >= 500 || status === 200 ? 'server' : 'credential',
    status,
    code: 'token_refused',
    message: `${host} gives no token for the credential (${cause}).${clock}`,
  };
}

/** Recognises Google's and Entra's errors about an assertion from the past or the future. */
function isAboutTime(cause: string): boolean {
  return /reasonable timeframe|check your iat and exp|AADSTS700024|clock/i.test(cause);
}
