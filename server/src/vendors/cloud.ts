/** What a cloud needs beside a secret: the fields of its customer's own address, and the forms of its secrets. */
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
  /**
   * The base address of one customer; undefined while a field is missing. `secret` is read too, because Google's key
   * file names the project.
   */
  address(place: CloudPlace, secret: string | undefined): string | undefined;
  /** Environment variables of each field; the first one that is set counts. */
  placeEnv: Readonly<Partial<Record<CloudField, readonly string[]>>>;
  /** The secret from the environment, in the form in which it is stored. */
  secretIn(env: Environment): CloudSecret | undefined;
  /** The way to authenticate, by the form of the secret. */
  authOf(secret: string): AuthScheme;
  /** What an address decides about how it is called. */
  quirksAt?(baseUrl: string, env: Environment): Quirks;
  /** Corrects an address that was copied from the cloud's own pages. */
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
