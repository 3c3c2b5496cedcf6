/**
 * What a start says. Under `NODE_ENV=production` the first secrets go to a file that only its owner can read: standard output
 * of a service ends in logs that many can.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EMBEDDED_NOTICE } from './platform/db/index.ts';
import type { FirstSecrets } from './startup.ts';
import type { Service } from './wiring.ts';

const FILE = 'first-secrets.txt';

export interface Greeting {
  secrets: FirstSecrets;
  database: Service['database'];
  address: string;
  dataDir: string;
  production: boolean;
}

/** One text: whoever waits for the address to appear has the whole greeting then. */
export async function greetingOf({ secrets, database, address, dataDir, production }: Greeting): Promise<string> {
  const lines = [`Dargah listens on ${address}`];
  if (database === 'embedded') lines.push(EMBEDDED_NOTICE);
  if (secrets.operatorPassword === undefined) return lines.join('\n');
  const shown = secretLines(secrets, address);
  if (!production) return [...lines, '', 'First start. These are shown once; keep them:', ...shown].join('\n');
  const path = join(dataDir, FILE);
  // A second first start, on an emptied database, must not write over what nobody has read yet.
  await writeFile(path, `${shown.join('\n')}\n`, { mode: 0o600, flag: 'a' });
  return [
    ...lines,
    '',
    `First start. The operator's password and an API key are in ${path}; keep them, then delete it.`,
  ].join('\n');
}

function secretLines({ operatorPassword, apiKey }: FirstSecrets, address: string): string[] {
  return [
    `  console            ${address}/`,
    `  operator password  ${operatorPassword}`,
    `  API key            ${apiKey}`,
    '',
    'Try it:',
    `  curl ${address}/api/v1/chat/completions -H "Authorization: Bearer ${apiKey}" -H "Content-Type: application/json" -d '{"model":"sandbox/echo","messages":[{"role":"user","content":"سلام"}]}'`,
  ];
}
