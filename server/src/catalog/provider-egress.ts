/** The egress of a provider, between the file, the encrypted column and the transport. */
import { isJsonObject, type JsonObject, parseTrustedJson } from '../core/json.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { type EgressTerms, readEgress } from '../platform/upstream/index.ts';

/** As declared, with passwords in clear text. */
export interface DeclaredEgress {
  /** In order; undefined when the environment of the process decides. */
  ways: string[] | undefined;
  caFile: string | undefined;
  sourceAddress: string | undefined;
}

export const USUAL_EGRESS: DeclaredEgress = { ways: undefined, caFile: undefined, sourceAddress: undefined };

export function sealEgress(egress: DeclaredEgress, secrets: SecretBox): string | null {
  const { ways, caFile, sourceAddress } = egress;
  return ways || caFile !== undefined || sourceAddress !== undefined ? secrets.seal(JSON.stringify(egress)) : null;
}

/** Throws SecretRefused when it was encrypted under another master key. */
export function openEgress(sealed: string | null, secrets: SecretBox): DeclaredEgress {
  const value = sealed === null ? undefined : parseTrustedJson(secrets.open(sealed));
  if (!isJsonObject(value)) return USUAL_EGRESS;
  const { ways, caFile, sourceAddress } = value;
  return {
    ways: Array.isArray(ways) ? ways.map(String) : undefined,
    caFile: typeof caFile === 'string' ? caFile : undefined,
    sourceAddress: typeof sourceAddress === 'string' ? sourceAddress : undefined,
  };
}

export function egressTerms(egress: DeclaredEgress): EgressTerms {
  // Set also where nothing is configured: with it a call uses the proxies of the environment, and only calls to
  // providers may.
  return { key: JSON.stringify(egress), ...egress };
}

/** Without passwords. */
export function egressView({ ways, caFile, sourceAddress }: DeclaredEgress) {
  const names = ways?.map((way) => {
    const egress = readEgress(way);
    return typeof egress === 'string' ? '?' : egress.name;
  });
  return { egress: names ?? null, ca_file: caFile ?? null, source_address: sourceAddress ?? null };
}

/** As it was written, so that a part of it can be changed. */
export function egressInput({ ways, caFile, sourceAddress }: DeclaredEgress): JsonObject {
  return {
    ...(ways && { egress: ways }),
    ...(caFile !== undefined && { ca_file: caFile }),
    ...(sourceAddress !== undefined && { source_address: sourceAddress }),
  };
}

export function egressPasswords(all: readonly EgressTerms[]): string[] {
  return all.flatMap(({ ways = [] }) =>
    ways.flatMap((way) => {
      const egress = readEgress(way);
      return typeof egress === 'string' || egress.password === undefined ? [] : [egress.password];
    }),
  );
}
