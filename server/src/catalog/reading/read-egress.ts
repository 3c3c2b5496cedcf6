/** Reads `egress`, `egress_env`, `ca_file` and `source_address` of a provider. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { readEgress } from '../../platform/upstream/index.ts';
import type { DeclaredEgress } from '../provider-egress.ts';
import type { Environment } from '../seed/vendor-address.ts';
import type { Fields } from './fields.ts';
import { mistakes } from './mistakes.ts';

export function readProviderEgress(fields: Fields, env: Environment): DeclaredEgress {
  const variable = fields.text('egress_env');
  const written = variable === undefined ? undefined : env[variable];
  if (variable !== undefined && !written)
    fields.report.warning(fields.at('egress_env'), `the variable ${variable} is not set`);
  const ways = fields.texts('egress') ?? written?.split(',').map((way) => way.trim());
  for (const way of ways ?? []) {
    const egress = readEgress(way);
    if (typeof egress === 'string') fields.mistake(written ? 'egress_env' : 'egress', mistakes.egress(egress));
  }
  const sourceAddress = fields.text('source_address');
  if (sourceAddress !== undefined && isIP(sourceAddress) === 0) fields.mistake('source_address', mistakes.ownAddress);
  return { ways: ways && ways.length > 0 ? ways : undefined, caFile: readCaFile(fields), sourceAddress };
}

/** Read once here, so that a wrong path is found before the first call. */
function readCaFile(fields: Fields): string | undefined {
  const path = fields.text('ca_file');
  if (path === undefined) return undefined;
  try {
    if (readFileSync(path, 'utf8').includes('-----BEGIN CERTIFICATE-----')) return path;
    return fields.mistake('ca_file', mistakes.noCertificate);
  } catch (error) {
    return fields.mistake('ca_file', mistakes.unreadable((error as NodeJS.ErrnoException).code));
  }
}
