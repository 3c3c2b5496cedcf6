/**
 * Providers that are a customer's part of a cloud: their address is made from a few words, and their credentials have
 * several parts.
 */
import type { AuthScheme, SignedScheme } from '@dargah/core/catalog-terms.ts';
import { CLOUD_FIELDS, CLOUD_FORMS, CLOUD_WORDS, type CloudField } from '@dargah/core/cloud-fields.ts';
import { normalCredential, readEntraApp, readServiceAccount } from '../../core/cloud-credentials.ts';
import { isMetadataHost } from '../../platform/upstream/index.ts';
import type { Vendor } from '../../vendors/index.ts';
import type { Fields } from './fields.ts';
import { mistakes } from './mistakes.ts';

interface GivenSecrets {
  named: boolean;
  values: string[];
}

/** `resource`, `project` and `region` instead of `base_url`; undefined where none of them is given. */
export function readCloudAddress(
  fields: Fields,
  vendor: Vendor | undefined,
  secret: string | undefined,
): string | undefined {
  const place: Partial<Record<CloudField, string>> = {};
  let isSound = true;
  for (const name of CLOUD_FIELDS) {
    const value = fields.text(name);
    if (value === undefined) continue;
    const problem = problemOf(fields, vendor, name, value);
    if (problem) {
      fields.mistake(name, problem);
      isSound = false;
    }
    place[name] = value;
  }
  if (!isSound || !vendor?.cloud || fields.has('base_url')) return undefined;
  return vendor.cloud.address(place, secret);
}

function problemOf(fields: Fields, vendor: Vendor | undefined, name: CloudField, value: string) {
  if (!vendor || !CLOUD_FORMS[vendor.id]?.fields.includes(name)) return mistakes.notOfThisVendor;
  if (fields.has('base_url')) return mistakes.beside('base_url');
  return CLOUD_WORDS[name].test(value) ? undefined : mistakes.cloudWord;
}

/** The form of a cloud's secret shows how it authenticates. */
export function authOfSecret(vendor: Vendor | undefined, { values: [first] }: GivenSecrets): AuthScheme | undefined {
  return first === undefined ? undefined : vendor?.cloud?.authOf(first);
}

export function readSigned(fields: Fields, scheme: SignedScheme, { named, values }: GivenSecrets): GivenSecrets {
  const field = ['api_key', 'api_key_env', 'api_keys', 'api_keys_env'].find((name) => fields.has(name)) ?? 'api_key';
  const normal: string[] = [];
  for (const value of values) {
    const one = checkedCredential(scheme, value);
    if (one === undefined) fields.mistake(field, mistakes.credential[scheme]);
    else normal.push(one);
  }
  return { named, values: normal };
}

/**
 * In the form in which it is stored; undefined when it does not fit the scheme, or names a token server that no
 * credential may ask.
 */
export function checkedCredential(scheme: SignedScheme, secret: string): string | undefined {
  const asked = readServiceAccount(secret)?.tokenUrl ?? readEntraApp(secret)?.authority;
  if (asked !== undefined && isMetadataHost(new URL(asked).hostname)) return undefined;
  return normalCredential(scheme, secret);
}
