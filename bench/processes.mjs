/** Starts the processes of the benchmark and reads what they cost. Everything started here is stopped at the end. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const TICK_US = 10_000;
const START_MS = 90_000;
const started = new Set();

/** Runs a script of this folder (or an absolute path) and waits until it says `listening <port>` or what `ready` finds. */
export async function start(script, { env = {}, args = [], nodeArgs = [], ready = /listening (\d+)/ } = {}) {
  const path = script.startsWith('/') ? script : fileURLToPath(new URL(script, import.meta.url));
  return startCommand(process.execPath, [...nodeArgs, path, ...args], { env, ready });
}

export async function startCommand(command, args, { env = {}, ready, cwd, uid, gid, limitMs = START_MS } = {}) {
  const owner = uid === undefined ? {} : { uid, gid };
  const stdio = ['ignore', 'pipe', 'pipe'];
  const child = spawn(command, args, { env: { ...process.env, ...env }, cwd, stdio, ...owner });
  started.add(child);
  child.once('exit', () => started.delete(child));
  let said = '';
  const match = await new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`${command} ${args.join(' ')} ${why}:\n${said.slice(-2_000)}`));
    const timer = setTimeout(() => fail('did not start in time'), limitMs);
    const hear = (text) => {
      said = (said + text).slice(-20_000);
      const found = ready.exec(said);
      if (!found) return;
      clearTimeout(timer);
      resolve(found);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', (code) => fail(`ended with ${code}`));
    child.once('error', reject);
  });
  return { pid: child.pid, port: Number(match[1]), stop: (signal) => stop(child, signal) };
}

async function stop(child, signal = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await ended;
  clearTimeout(timer);
}

export async function stopEverything() {
  await Promise.all([...started].map((child) => stop(child)));
}

/** Processor time of all threads of the processes and of all their descendants, in microseconds. */
export function cpuUs(pids) {
  let total = 0;
  for (const pid of familyOf(pids)) {
    const stat = readStat(pid);
    // Of children that have ended the kernel tells no more than ticks.
    if (stat) total += threadsUs(pid) + (Number(stat[13]) + Number(stat[14])) * TICK_US;
  }
  return total;
}

/** To the nanosecond: in ticks of 10 ms a short round would be mostly rounding. */
function threadsUs(pid) {
  let total = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      total += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1_000;
    } catch {
      // It has ended since the list was made.
    }
  }
  return total;
}

/** Reads and writes that the processes have made so far, of files and of sockets. */
export function systemCalls(pids) {
  const counts = { reads: 0, writes: 0 };
  for (const pid of familyOf(pids)) {
    const text = readFileSync(`/proc/${pid}/io`, 'utf8');
    counts.reads += Number(/syscr: (\d+)/.exec(text)?.[1] ?? 0);
    counts.writes += Number(/syscw: (\d+)/.exec(text)?.[1] ?? 0);
  }
  return counts;
}

/** Resident memory of the same processes, in megabytes. */
export function rssMb(pids) {
  let pages = 0;
  for (const pid of familyOf(pids)) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      pages += Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
    } catch {
      // It has ended since the list was made.
    }
  }
  return pages / 1024;
}

function familyOf(pids) {
  const parents = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readStat(name);
    if (stat) parents.set(Number(name), Number(stat[1]));
  }
  const family = new Set(pids);
  for (let grown = true; grown; ) {
    grown = false;
    for (const [pid, parent] of parents) {
      if (!family.has(parent) || family.has(pid)) continue;
      family.add(pid);
      grown = true;
    }
  }
  return family;
}

/** The fields after the command's name, which may itself contain spaces and brackets. */
function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
