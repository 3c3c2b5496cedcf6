/** Finds the command, runs it, and turns every failure into a sentence and an exit code. */

import { VERSION } from '../core/version.ts';
import { ownSchemaNumber, SchemaRefused } from '../platform/db/index.ts';
import { Options, readArguments, type Typed, UsageError } from './arguments.ts';
import { type AdminClient, Refused } from './client.ts';
import type { Command, Noun } from './command.ts';
import { accounts, credit } from './commands/accounts.ts';
import { catalog, groups, models } from './commands/catalog.ts';
import { conformance } from './commands/conformance.ts';
import { documents } from './commands/documents.ts';
import { keys } from './commands/keys.ts';
import { secrets } from './commands/operations.ts';
import { prices, pricing } from './commands/pricing.ts';
import { providers } from './commands/providers.ts';
import {
  audit,
  backups,
  events,
  health,
  operators,
  replicas,
  requests,
  settings,
  setup,
  usage,
} from './commands/service.ts';
import { tokens } from './commands/tokens.ts';
import { CannotStart } from './connect.ts';
import { OFFLINE } from './offline/index.ts';

export const NOUNS: Record<string, Noun> = {
  accounts,
  keys,
  credit,
  models,
  prices,
  pricing,
  groups,
  providers,
  catalog,
  requests,
  usage,
  audit,
  conformance,
  documents,
  replicas,
  settings,
  setup,
  backups,
  events,
  health,
  operators,
  tokens,
  secrets,
};

/**
 * Exit codes. 1: the service refused, or the books do not balance. 2: the command was not understood. 3: no service
 * could be reached or started.
 */
const EXIT = { ok: 0, refused: 1, usage: 2, unreachable: 3 } as const;

export interface Surroundings {
  variables: NodeJS.ProcessEnv;
  connect(): Promise<AdminClient>;
  print(text: string): void;
  complain(text: string): void;
  readInput(): Promise<string>;
}

export async function run(argv: readonly string[], world: Surroundings): Promise<number> {
  let typed: Typed | undefined;
  try {
    if (argv[0] === '--version') {
      world.print(await versionLine());
      return EXIT.ok;
    }
    typed = readArguments(argv);
    const { noun: name = 'help', help } = typed;
    const noun = NOUNS[name];
    const offline = OFFLINE[name];
    if (name === 'help') {
      const about = typed.verb === undefined ? undefined : NOUNS[typed.verb];
      world.print(about && typed.verb !== undefined ? nounHelp(typed.verb, about) : overview());
      return EXIT.ok;
    }
    if (offline && !help) return await offline.run(new Options(typed.options), world);
    if (offline) {
      world.print(`  dargah ${offline.usage}\n      ${offline.summary}`);
      return EXIT.ok;
    }
    if (!noun) throw new UsageError(`there is no command '${name}'`);
    if (help || typed.verb === 'help') {
      world.print(nounHelp(name, noun));
      return EXIT.ok;
    }
    return await execute(commandOf(name, noun, typed), typed, world);
  } catch (error) {
    return explain(error, typed, world);
  }
}

/** The schema of this program; that of a database is told by `/readyz` and `dargah health`. */
async function versionLine(): Promise<string> {
  return `dargah ${VERSION} (schema ${String(await ownSchemaNumber()).padStart(4, '0')})`;
}

/** A noun with one verb can be written alone: `dargah audit`. */
function commandOf(name: string, noun: Noun, { verb }: Typed): Command {
  const [only, ...others] = Object.values(noun.verbs);
  if (verb === undefined && only && others.length === 0) return only;
  const command = verb === undefined ? undefined : noun.verbs[verb];
  if (command) return command;
  const known = Object.keys(noun.verbs).join(', ');
  throw new UsageError(verb === undefined ? `${name}: one of ${known}` : `${name} has no '${verb}': one of ${known}`);
}

async function execute(command: Command, typed: Typed, world: Surroundings): Promise<number> {
  const api = await world.connect();
  try {
    const options = new Options(typed.options);
    // Unknown options are refused before anything is sent: a command must not be half carried out because of a typing error.
    const strict: AdminClient = {
      call: (...call) => {
        options.refuseUnread();
        return api.call(...call);
      },
      close: () => api.close(),
    };
    const { words, json } = typed;
    const { print, readInput } = world;
    return (await command.run({ api: strict, words, options, json, print, readInput })) ?? EXIT.ok;
  } finally {
    await api.close();
  }
}

function explain(error: unknown, typed: Typed | undefined, world: Surroundings): number {
  if (error instanceof UsageError) {
    world.complain(`dargah: ${error.message}`);
    world.complain(`Try: npm run dargah -- ${NOUNS[typed?.noun ?? ''] ? `${typed?.noun} --help` : 'help'}`);
    return EXIT.usage;
  }
  if (error instanceof Refused) {
    if (typed?.json && error.body !== undefined) world.print(JSON.stringify(error.body, null, 2));
    world.complain(`dargah: ${error.message}`);
    return EXIT.refused;
  }
  if (error instanceof SchemaRefused) {
    world.complain(error.message);
    return EXIT.refused;
  }
  const text = error instanceof Error ? error.message : String(error);
  world.complain(error instanceof CannotStart ? text : `dargah: ${text}`);
  return EXIT.unreachable;
}

function overview(): string {
  const all = [...Object.entries(NOUNS), ...Object.entries(OFFLINE)];
  const widest = Math.max(...all.map(([name]) => name.length));
  return [
    'npm run dargah -- <noun> <verb> [arguments] [--json]',
    '',
    ...all.map(([name, { summary }]) => `  ${name.padEnd(widest)}  ${summary}`),
    '',
    'Talks to the running server of this data directory (DARGAH_DATA_DIR); where none runs, works on its database.',
    'Details: npm run dargah -- <noun> --help. Version: npm run dargah -- --version',
    'Exit codes: 0 done, 1 refused or books do not balance, 2 not understood, 3 not reachable.',
  ].join('\n');
}

function nounHelp(name: string, { summary, notes = [], verbs }: Noun): string {
  return [
    `${name}: ${summary}`,
    '',
    ...Object.values(verbs).flatMap((verb) => [`  dargah ${name} ${verb.usage}`, `      ${verb.summary}`]),
    ...(notes.length > 0 ? ['', ...notes] : []),
  ].join('\n');
}
