/** What a vendor that is a cloud needs beside a secret: where its customer's own corner of it is, and in which form its secrets come. */
import type { AuthScheme } from '@dargah/core/catalog-terms.ts';
import type { CloudField } from '@dargah/core/cloud-fields.ts';
import { withoutTrailing } from '../core/trailing.ts';
import type { Quirks } from '../protocols/index.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
export type CloudPlace = Readonly<Partial<Record<CloudField, string>>>;

export interface CloudSecret {
  auth: AuthScheme;
  secret: string;
}

export interface Cloud {
  /** The base address of a customer's corner; undefined while something is missing. `secret`: what Google's key file names as well. */
  address(place: CloudPlace, secret: string | undefined): string | undefined;
  /** Variables of each field, the first one set counts. */
  placeEnv: Readonly<Partial<Record<CloudField, readonly string[]>>>;
  /** The secret that the environment holds, in the form in which it is kept. */
  secretIn(env: Environment): CloudSecret | undefined;
  /** By the form of a secret: how it lets in. */
  authOf(secret: string): AuthScheme;
  /** What an address says about how it is spoken to. */
  quirksAt?(baseUrl: string, env: Environment): Quirks;
  /** Mends an address as the cloud's own pages show it. */
  mended?(baseUrl: string): string;
}

export function firstSet(env: Environment, names: readonly string[] = []): string | undefined {
  for (const name of names) {
    const value = env[name]?.trim();
    if (value) return value;
  }
  return undefined;
}

export function placeIn({ placeEnv }: Cloud, env: Environment): CloudPlace {
  const place: Partial<Record<CloudField, string>> = {};
  for (const [field, names] of Object.entries(placeEnv) as [CloudField, readonly string[]][]) {
    const value = firstSet(env, names);
    if (value !== undefined) place[field] = withoutTrailing(value, '/');
  }
  return place;
}
