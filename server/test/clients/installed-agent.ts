/**
 * Coding agents as their users have them: the published package, installed once into a cache beside the other build
 * leftovers, run as a process of its own with an empty home and none of our environment.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cache = fileURLToPath(new URL('../../../node_modules/.cache/dargah/agents/', import.meta.url));
const INSTALL_MS = 240_000;
const RUN_MS = 200_000;
/** Of each stream; the end is what tells why it failed. */
const MAX_OUTPUT = 200_000;

interface Package {
  name: string;
  /** Exact: another version is another client. */
  version: string;
  /** The script that starts it, inside the package. */
  script: string;
}

export interface Installed {
  script: string;
  missing: boolean;
}

/** The program for this platform is an optional package that npm chooses; their install scripts are not needed. */
export async function install({ name, version, script }: Package): Promise<Installed> {
  const folder = join(cache, `${name.replace('/', '+')}@${version}`);
  const installed = { script: join(folder, 'node_modules', name, script), missing: false };
  if (existsSync(installed.script)) return installed;
  await mkdir(cache, { recursive: true });
  // Elsewhere first: half an install must not be taken for a whole one by the next run.
  const draft = await mkdtemp(join(cache, 'draft-'));
  const failure = await fillDraft(draft, `${name}@${version}`, join('node_modules', name, script));
  if (failure !== undefined) {
    await rm(draft, { recursive: true, force: true });
    console.warn(`SKIPPED: ${name}@${version} cannot be installed here; its tests do not run. ${failure}`);
    return { ...installed, missing: true };
  }
  await rename(draft, folder).catch(async (error: unknown) => {
    // Somebody else was faster.
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(installed.script)) throw error;
  });
  return installed;
}

/** Why it failed. */
async function fillDraft(draft: string, wanted: string, script: string): Promise<string | undefined> {
  const patience = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000'];
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', ...patience, '--prefix', draft];
  const npm = spawn('npm', ['install', ...options, wanted], { cwd: draft, detached: true });
  const installed = await outcomeOf(npm, INSTALL_MS);
  if (installed.code !== 0) return reasonIn(installed.stderr);
  // npm says nothing when the optional package with the program is missing.
  const started = await outcomeOf(
    spawn(process.execPath, [script, '--version'], { cwd: draft, detached: true }),
    RUN_MS,
  );
  return started.code === 0 ? undefined : reasonIn(started.stderr);
}

function reasonIn(output: string): string {
  const lines = output.trim().split('\n');
  return (lines.find((line) => line.startsWith('npm error')) ?? lines.at(-1)) || 'It gave no reason.';
}

interface Outcome {
  /** null when it was ended by a signal, as it is after its time. */
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Workplace {
  home: string;
  /** Where it works, with nothing in it yet. */
  folder: string;
  remove(): Promise<void>;
}

export async function openWorkplace(): Promise<Workplace> {
  const root = await mkdtemp(join(tmpdir(), 'dargah-agent-'));
  const [home, folder] = [join(root, 'home'), join(root, 'work')];
  await Promise.all([mkdir(home), mkdir(folder)]);
  return { home, folder, remove: () => rm(root, { recursive: true, force: true, maxRetries: 3 }) };
}

export function runAgent(
  { script }: Installed,
  args: string[],
  { home, folder }: Workplace,
  env: Record<string, string>,
): Promise<Outcome> {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: home, TMPDIR: home, ...env },
    // With an open input they wait for more of the question.
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  return outcomeOf(child, RUN_MS);
}

async function outcomeOf(child: ChildProcess, maxMs: number): Promise<Outcome> {
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] = (output[name] + text).slice(-MAX_OUTPUT);
    });
  }
  // The script starts the real program, which would outlive it: the whole group ends.
  const late = setTimeout(() => endGroup(child), maxMs);
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...output };
  } catch (error) {
    return { code: null, stdout: output.stdout, stderr: String(error) };
  } finally {
    clearTimeout(late);
  }
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}
