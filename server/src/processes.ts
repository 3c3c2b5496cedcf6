/** `npm start -- --processes N`: the program as several processes (processes/supervisor.ts). */
import { readEnvironment } from './config/index.ts';
import { Supervisor } from './processes/supervisor.ts';

const MAX_PROCESSES = 64;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

function processesOf(args: readonly string[]): number | undefined {
  const at = args.findIndex((argument) => argument === '--processes' || argument.startsWith('--processes='));
  const value = args[at]?.split('=')[1] ?? args[at + 1];
  const count = /^\d{1,3}$/.test(value ?? '') ? Number(value) : 0;
  return count >= 1 && count <= MAX_PROCESSES ? count : undefined;
}

/** Why it cannot be; undefined when it can. */
function obstacle(count: number | undefined): string | undefined {
  if (count === undefined) return `--processes takes a number from 1 to ${MAX_PROCESSES}`;
  if (process.env['DATABASE_URL'] && process.env['REDIS_URL']) return undefined;
  return 'several processes share a PostgreSQL and a Redis: set DATABASE_URL and REDIS_URL';
}

const count = processesOf(process.argv.slice(2));
const reason = obstacle(count);
if (count === undefined || reason !== undefined) {
  say(`Dargah cannot start: ${reason}.`);
  process.exitCode = 1;
} else {
  // `/data/{slot}` is how single processes share a volume; here the supervisor gives out the directories.
  const dataDir = readEnvironment(process.env).environment.dataDir.replace(/\/?\{slot\}/, '');
  const supervisor = new Supervisor({ processes: count, dataDir, say, exit: (code) => process.exit(code) });
  process.on('SIGHUP', () => void supervisor.roll());
  process.on('SIGTERM', () => supervisor.stop('SIGTERM'));
  process.on('SIGINT', () => supervisor.stop('SIGINT'));
  await supervisor.start();
}
