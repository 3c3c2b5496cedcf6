/** Reads `providers:`, which says who is called, in which protocol, and with which secret. */
import { withoutTrailing } from '../../core/trailing.ts';
import { readDataPolicy } from '../data-policy.ts';
import type { DeclaredProvider } from '../seed/declared.ts';
import type { Environment } from '../seed/vendor-address.ts';

export type { Environment } from '../seed/vendor-address.ts';

import { isSignedScheme } from '@dargah/core/catalog-terms.ts';
import { CLOUD_FORMS } from '@dargah/core/cloud-fields.ts';
import { PROVIDER_FIELDS } from '@dargah/core/fields/index.ts';
import { PROTOCOL_IDS, type ProtocolId } from '../../core/chat.ts';
import { isMetadataHost } from '../../platform/upstream/index.ts';
import { AUTH_SCHEMES, type AuthScheme, findVendor, VENDORS, type Vendor } from '../../vendors/index.ts';
import type { Fields } from './fields.ts';
import { isSlug, UniqueIds } from './ids.ts';
import { mistakes } from './mistakes.ts';
import { readTimeouts } from './read-amounts.ts';
import { authOfSecret, readCloudAddress, readSigned } from './read-cloud.ts';
import { readProviderEgress } from './read-egress.ts';
import { readQuirks } from './read-quirks.ts';

const USUAL_AUTH: Record<ProtocolId, AuthScheme> = {
  'openai-chat': 'bearer',
  'openai-responses': 'bearer',
  'anthropic-messages': 'x-api-key',
  'gemini-generate': 'x-goog-api-key',
  'bedrock-converse': 'bearer',
};

export function readProviders(sections: Fields[], env: Environment): DeclaredProvider[] {
  const ids = new UniqueIds('provider');
  return sections.flatMap((fields) => {
    const provider = readProvider(fields, env, ids);
    fields.finish();
    return provider ? [provider] : [];
  });
}

function readProvider(fields: Fields, env: Environment, ids: UniqueIds): DeclaredProvider | undefined {
  const id = fields.needText('id');
  if (id !== undefined && !isSlug(id)) fields.mistake('id', mistakes.slug);
  if (id !== undefined) ids.reserve(id, fields);
  const vendor = readVendor(fields);
  const protocol = fields.choice('protocol', PROTOCOL_IDS) ?? vendor?.protocol;
  if (protocol === undefined && !fields.has('protocol')) fields.mistake('protocol', mistakes.requiredOrVendor);
  const found = readSecrets(fields, env);
  const baseUrl = readCloudAddress(fields, vendor, found.values[0]) ?? readBaseUrl(fields, vendor) ?? vendor?.baseUrl;
  if (baseUrl === undefined && !fields.has('base_url')) missingAddress(fields, vendor);
  const usual = protocol && (vendor && vendor.auth !== 'none' ? vendor.auth : USUAL_AUTH[protocol]);
  const auth = fields.choice('auth', AUTH_SCHEMES) ?? (found.named ? (authOfSecret(vendor, found) ?? usual) : 'none');
  const secrets = auth && isSignedScheme(auth) ? readSigned(fields, auth, found) : found;
  const rest = {
    headers: readHeaders(fields.child('headers')),
    quirks: {
      ...vendor?.quirks,
      ...(baseUrl !== undefined && vendor?.cloud?.quirksAt?.(baseUrl, {})),
      ...readQuirks(fields.child('quirks')),
    },
    timeouts: readTimeouts(fields.child('timeouts')),
    egress: readProviderEgress(fields, env),
    dataPolicy: readDataPolicy(fields),
    maxConcurrent: fields.whole('max_concurrent', PROVIDER_FIELDS.max_concurrent) ?? null,
  };
  if (id === undefined || protocol === undefined || baseUrl === undefined || auth === undefined) return undefined;
  const transport = 'http' as const;
  return { id, vendor: vendor?.id ?? id, protocol, baseUrl, auth, ...rest, transport, secrets: secrets.values };
}

function readVendor(fields: Fields): Vendor | undefined {
  const ids = VENDORS.filter((vendor) => vendor.transport !== 'sandbox').map((vendor) => vendor.id);
  const id = fields.choice('vendor', ids);
  return id === undefined ? undefined : findVendor(id);
}

function readBaseUrl(fields: Fields, vendor: Vendor | undefined): string | undefined {
  const text = fields.text('base_url');
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return fields.mistake('base_url', mistakes.address(text));
  if (url.username !== '' || url.password !== '') return fields.mistake('base_url', mistakes.secretInAddress);
  if (url.search !== '' || url.hash !== '') return fields.mistake('base_url', mistakes.queryInAddress);
  if (isMetadataHost(url.hostname)) return fields.mistake('base_url', mistakes.metadataAddress);
  return withoutTrailing(vendor?.cloud?.mended?.(text) ?? text, '/');
}

function missingAddress(fields: Fields, vendor: Vendor | undefined): void {
  const { fields: names = [], optional = [] } = (vendor && CLOUD_FORMS[vendor.id]) ?? {};
  const needed = names.find((name) => !optional.includes(name)) ?? names[0];
  if (needed === undefined) fields.mistake('base_url', mistakes.requiredOrVendor);
  else if (!fields.has(needed)) fields.mistake(needed, mistakes.required);
}

/** Reads `api_key`, `api_key_env`, or `api_keys`: a list of texts and `{env: NAME}`. */
function readSecrets(fields: Fields, env: Environment): { named: boolean; values: string[] } {
  const values: string[] = [];
  const one = readSecret(fields, 'api_key', env);
  if (one.value !== undefined) values.push(one.value);
  const many = fields.texts('api_keys');
  if (many) values.push(...many);
  for (const name of fields.texts('api_keys_env') ?? []) {
    const value = env[name];
    if (value) values.push(value);
    else fields.report.warning(fields.at('api_keys_env'), `the variable ${name} is not set`);
  }
  return { named: one.named || many !== undefined || fields.has('api_keys_env'), values };
}

/** A secret in clear under `name`, or the variable that holds it under `name_env`. An unset variable is a warning. */
export function readSecret(
  fields: Fields,
  name: string,
  env: Environment,
): { named: boolean; value: string | undefined } {
  const variable = fields.text(`${name}_env`);
  const clear = fields.text(name);
  const named = fields.has(name) || fields.has(`${name}_env`);
  if (clear !== undefined && variable !== undefined) {
    fields.mistake(`${name}_env`, mistakes.beside(name));
    return { named, value: undefined };
  }
  if (variable === undefined) return { named, value: clear };
  const value = env[variable]?.trim();
  if (value) return { named, value };
  const message = `the variable ${variable} is not set, so this entry has no secret and cannot be used`;
  fields.report.warning(fields.at(`${name}_env`), message);
  return { named, value: undefined };
}

/** Headers that only we set: one from the file must not replace the secret, the length or the connection. */
const RESERVED =
  /^(authorization|x-api-key|x-goog-api-key|api-key|host|content-length|content-type|connection|transfer-encoding)$/i;

function readHeaders(fields: Fields | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of fields?.names() ?? []) {
    const value = fields?.text(name);
    if (!/^[A-Za-z0-9-]{1,100}$/.test(name)) fields?.mistake(name, mistakes.notHeaderName);
    else if (RESERVED.test(name)) fields?.mistake(name, mistakes.ownHeader);
    else if (value !== undefined && /[^\t\x20-\x7e]/.test(value)) fields?.mistake(name, mistakes.printable);
    else if (value !== undefined) headers[name.toLowerCase()] = value;
  }
  return headers;
}
