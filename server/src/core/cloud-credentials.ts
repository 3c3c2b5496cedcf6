/**
 * Credentials of several fields: an access key of Amazon, a service account of Google, an application of Entra. Each is
 * kept as one line of JSON, sealed like every other secret of a provider. Its secret fields are named here, so that
 * logs and echoes can remove them.
 */
import type { SignedScheme } from '@dargah/core/catalog-terms.ts';
import { isJsonObject, type JsonObject, parseTrustedJson } from './json.ts';

export interface AwsKeys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | undefined;
}

export interface ServiceAccount {
  clientEmail: string;
  /** The private key as PEM. */
  privateKey: string;
  privateKeyId: string | undefined;
  tokenUrl: string;
  projectId: string | undefined;
}

export interface EntraApp {
  tenantId: string;
  clientId: string;
  clientSecret: string;
  /** National clouds of Azure have another one. */
  authority: string;
}

const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token';
const ENTRA_AUTHORITY = 'https://login.microsoftonline.com';
/** `AKIA…:secret`, as people write the pair into one variable; a session token may follow. */
const AWS_KEY_ID = /^A[KS]IA[A-Z0-9]{12,124}$/;
const AWS_SECRET = /^[A-Za-z0-9/+=]{16,256}$/;

export function readAwsKeys(secret: string): AwsKeys | undefined {
  const [id = '', word = '', token, ...more] = secret.trim().split(':');
  if (AWS_KEY_ID.test(id) && AWS_SECRET.test(word) && more.length === 0)
    return { accessKeyId: id, secretAccessKey: word, sessionToken: token };
  const fields = objectIn(secret);
  const accessKeyId = textOf(fields, 'access_key_id', 'AccessKeyId', 'aws_access_key_id', 'accessKeyId');
  const secretAccessKey = textOf(
    fields,
    'secret_access_key',
    'SecretAccessKey',
    'aws_secret_access_key',
    'secretAccessKey',
  );
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  const sessionToken = textOf(fields, 'session_token', 'SessionToken', 'aws_session_token', 'sessionToken');
  return { accessKeyId, secretAccessKey, sessionToken };
}

/** The key file that Google issues. */
export function readServiceAccount(secret: string): ServiceAccount | undefined {
  const fields = objectIn(secret);
  const clientEmail = textOf(fields, 'client_email');
  const privateKey = textOf(fields, 'private_key');
  if (clientEmail === undefined || privateKey === undefined || !privateKey.includes('PRIVATE KEY')) return undefined;
  const tokenUrl = textOf(fields, 'token_uri') ?? GOOGLE_TOKEN_URL;
  if (!isWebAddress(tokenUrl)) return undefined;
  const privateKeyId = textOf(fields, 'private_key_id');
  return { clientEmail, privateKey, privateKeyId, tokenUrl, projectId: textOf(fields, 'project_id') };
}

export function readEntraApp(secret: string): EntraApp | undefined {
  const fields = objectIn(secret);
  const tenantId = textOf(fields, 'tenant_id', 'tenantId', 'tenant');
  const clientId = textOf(fields, 'client_id', 'clientId', 'appId');
  const clientSecret = textOf(fields, 'client_secret', 'clientSecret', 'password');
  if (tenantId === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  const authority = textOf(fields, 'authority') ?? ENTRA_AUTHORITY;
  return isWebAddress(authority) ? { tenantId, clientId, clientSecret, authority } : undefined;
}

/**
 * The credential as one line of JSON, whatever form it came in; undefined where it is not a credential of the scheme.
 */
export function normalCredential(scheme: SignedScheme, secret: string): string | undefined {
  switch (scheme) {
    case 'aws-sigv4': {
      const keys = readAwsKeys(secret);
      return (
        keys &&
        oneLine({
          access_key_id: keys.accessKeyId,
          secret_access_key: keys.secretAccessKey,
          session_token: keys.sessionToken,
        })
      );
    }
    case 'google-service-account': {
      const account = readServiceAccount(secret);
      return (
        account &&
        oneLine({
          client_email: account.clientEmail,
          private_key: account.privateKey,
          private_key_id: account.privateKeyId,
          project_id: account.projectId,
          ...(account.tokenUrl !== GOOGLE_TOKEN_URL && { token_uri: account.tokenUrl }),
        })
      );
    }
    case 'entra': {
      const app = readEntraApp(secret);
      return (
        app &&
        oneLine({
          tenant_id: app.tenantId,
          client_id: app.clientId,
          client_secret: app.clientSecret,
          ...(app.authority !== ENTRA_AUTHORITY && { authority: app.authority }),
        })
      );
    }
  }
}

/** Every text in a secret that must not be shown: the secret itself, and the secret fields of one that is JSON. */
export function secretPartsOf(secret: string): string[] {
  if (!secret.startsWith('{')) return [secret];
  const fields = objectIn(secret);
  const parts = [textOf(fields, 'secret_access_key'), textOf(fields, 'session_token'), textOf(fields, 'client_secret')];
  const key = textOf(fields, 'private_key');
  const lines =
    key === undefined ? [] : [key, ...key.split('\n').filter((line) => line.length > 20 && line[0] !== '-')];
  return [secret, ...parts.filter((part) => part !== undefined), ...lines];
}

/** The part of a credential by which people recognise it; undefined for a credential of one field. */
export function namePartOf(secret: string): string | undefined {
  if (!secret.startsWith('{')) return undefined;
  const fields = objectIn(secret);
  return textOf(fields, 'access_key_id', 'private_key_id', 'client_id', 'client_email');
}

function objectIn(text: string): JsonObject {
  const parsed = parseTrustedJson(text);
  return isJsonObject(parsed) ? parsed : {};
}

function textOf(fields: JsonObject, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
  }
  return undefined;
}

function oneLine(fields: JsonObject): string {
  return JSON.stringify(fields);
}

function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '' && search === '';
}
