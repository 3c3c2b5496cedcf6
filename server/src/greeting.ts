/**
 * What a start says, and whether it is one for production. There the first secrets go to a file that only its owner can read:
 * standard output of a service ends in logs that many can.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessEnvironment } from './config/index.ts';
import { EMBEDDED_NOTICE } from './platform/db/index.ts';
import type { FirstSecrets } from './startup.ts';
import type { Service } from './wiring.ts';

const FILE = 'first-secrets.txt';

export interface Greeting {
  secrets: FirstSecrets;
  database: Service['database'];
  address: string;
  environment: Pick<ProcessEnvironment, 'dataDir' | 'production' | 'sandboxes' | 'messages' | 'publicUrl'>;
}

/** One text: whoever waits for the address to appear has the whole greeting then. */
export async function greetingOf({ secrets, database, address, environment }: Greeting): Promise<string> {
  const { dataDir, production } = environment;
  const staffDoor = `Staff sign in at ${environment.publicUrl ?? address}/operator`;
  const lines = [`Dargah listens on ${address}`, staffDoor, ...modeLines(environment)];
  if (database === 'embedded') lines.push(EMBEDDED_NOTICE);
  if (secrets.operatorPassword === undefined) return lines.join('\n');
  const shown = secretLines(secrets, address);
  if (!production) return [...lines, '', 'First start. These are shown once; keep them:', ...shown].join('\n');
  const path = join(dataDir, FILE);
  // A second first start, on an emptied database, must not write over what nobody has read yet.
  await writeFile(path, `${shown.join('\n')}\n`, { mode: 0o600, flag: 'a' });
  const what =
    secrets.apiKey === undefined ? "The operator's password is" : "The operator's password and an API key are";
  return [...lines, '', `First start. ${what} in ${path}; read it, then delete it.`].join('\n');
}

function modeLines({ production, sandboxes, messages, publicUrl }: Greeting['environment']): string[] {
  if (!production) {
    const line =
      'Mode: development. Messages are printed here, and money may be play money; for customers set NODE_ENV=production.';
    const isPublic = publicUrl?.startsWith('https:');
    return isPublic
      ? [line, `warning  ${publicUrl} is an address for customers, and this start is not one for them`]
      : [line];
  }
  const lines = ['Mode: production (NODE_ENV=production).'];
  if (sandboxes.size > 0) lines.push(`warning  DARGAH_SANDBOX is for trials: it offers ${[...sandboxes].join(', ')}`);
  const carries = Object.values(messages).some((carrier) => carrier !== undefined);
  if (!carries && !sandboxes.has('messenger'))
    lines.push(
      'warning  no messenger is set up (KAVENEGAR_API_KEY, SMSIR_API_KEY or SMTP_URL): nobody can be sent a code to sign in',
    );
  return lines;
}

function secretLines({ operatorPassword, apiKey, model }: FirstSecrets, address: string): string[] {
  const lines = [`  operator's console ${address}/operator`, `  operator password  ${operatorPassword}`];
  if (apiKey === undefined) return lines;
  const authorization = `-H "Authorization: Bearer ${apiKey}"`;
  const line =
    model === undefined
      ? `curl ${address}/api/v1/key ${authorization}`
      : `curl ${address}/api/v1/chat/completions ${authorization} -H "Content-Type: application/json" -d '{"model":"${model}","messages":[{"role":"user","content":"سلام"}]}'`;
  return [...lines, `  API key            ${apiKey}`, '', 'Try it:', `  ${line}`];
}
