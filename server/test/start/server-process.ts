/** The server as operators run it: `server/bin/start.mjs` in a process and data directory of its own, all output kept. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { switches } from '../harness/switches.ts';
import { temporaryDataDirectory } from '../services/embedded-database.ts';

const START = fileURLToPath(new URL('../../bin/start.mjs', import.meta.url));
const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

export interface ServerProcess {
  origin: string;
  /** Everything written to both outputs so far. */
  output(): string;
  signal(name: NodeJS.Signals): void;
  /** The exit code, once it has ended; null after a kill. */
  ended: Promise<number | null>;
  stop(): Promise<number | null>;
}

export interface Launch {
  env?: Record<string, string>;
  args?: string[];
  /** Another copy of the server, and where it runs. */
  script?: string;
  cwd?: string;
  /** `npm start`, and signals go to npm. */
  throughNpm?: boolean;
  /** Under a shell that passes no signal on, and signals go to the shell. */
  throughShell?: boolean;
}

export interface Home {
  folder: string;
  dataDir: string;
  writeConfig(config: object | string): Promise<string>;
  /** Runs it to its end. */
  run(launch: Launch): Promise<{ code: number | null; output: string }>;
  /** Resolves when it listens. */
  start(launch?: Launch): Promise<ServerProcess>;
  /** Ends what still runs and deletes everything. */
  remove(): Promise<void>;
}

/** With a database already made, unless the making of it is what the test is about: it takes long. */
export async function makeHome(database: 'empty' | 'none' = 'empty'): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'dargah-start-'));
  const dataDir = join(folder, 'data');
  if (database === 'empty') await rename(await temporaryDataDirectory(), dataDir);
  const children = new Map<ChildProcess, Promise<unknown>>();

  const launch = ({ env = {}, args = [], throughNpm, throughShell, script = START, cwd = folder }: Launch) => {
    // A clean environment: provider keys of the machine that tests must not switch vendors on.
    const { PATH = '', HOME = '' } = process.env;
    const direct = [process.execPath, script];
    // A second command keeps the shell from becoming the first one.
    const shell = ['sh', '-c', `'${direct.join("' '")}'; true`];
    const [command, ...words] = throughNpm
      ? ['npm', '--prefix', PROJECT, 'start', '--']
      : throughShell
        ? shell
        : direct;
    const child = spawn(command ?? '', [...words, ...args], {
      cwd,
      env: { PATH, HOME, PORT: '0', DARGAH_DATA_DIR: dataDir, DARGAH_DISCOVERY: 'off', ...switches(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const listeners = new Set<() => void>();
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        for (const listener of listeners) listener();
      });
    }
    const ended = once(child, 'close').then(([code]) => code as number | null);
    children.set(child, ended);
    return { child, ended, output: () => output, listeners };
  };

  return {
    folder,
    dataDir,
    async writeConfig(config) {
      const path = join(folder, 'dargah.yaml');
      await writeFile(path, typeof config === 'string' ? config : stringify(config));
      return path;
    },
    async run(options) {
      const { ended, output } = launch(options);
      return { code: await ended, output: output() };
    },
    async start(options = {}) {
      const { child, ended, output, listeners } = launch(options);
      const address = /listens on (http:\/\/\S+)\n/;
      await new Promise<void>((resolve, reject) => {
        const look = () => {
          if (!address.test(output())) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        void ended.then((code) => reject(new Error(`ended with ${code} before it listened:\n${output()}`)));
      });
      return {
        origin: address.exec(output())?.[1] ?? '',
        output,
        ended,
        signal: (name) => void child.kill(name),
        stop() {
          child.kill('SIGTERM');
          return ended;
        },
      };
    },
    async remove() {
      for (const child of children.keys()) if (child.exitCode === null) child.kill('SIGKILL');
      // Whoever still writes would make a folder that is being removed not empty.
      await Promise.all(children.values());
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export function postChat(origin: string, key: string, body: object): Promise<Response> {
  return fetch(`${origin}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
