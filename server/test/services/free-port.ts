/**
 * A port for programs that must be told theirs. Between the look and the program's start seconds may pass, and a service that a
 * test kills comes back on the same port: so it is none of those that the kernel hands out by itself, to listeners and to
 * outgoing connections, and one that no other worker of the test run looks at.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const LOWEST = 10_000;
/** Where nobody says which ports the kernel hands out: lower than those of any system we know. */
const USUAL_FIRST_OF_KERNEL = 32_768;
const MAX_WORKERS = 8;
const TRIES = 100;
const given = new Set<number>();

export async function freePort(): Promise<number> {
  for (let tried = 0; tried < TRIES; tried++) {
    const port = ownCandidate();
    if (given.has(port) || !(await canListen(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error('no free port');
}

function ownCandidate(): number {
  const worker = Number(process.env['VITEST_POOL_ID'] ?? 0) % MAX_WORKERS;
  const steps = Math.floor((firstOfKernel() - LOWEST) / MAX_WORKERS);
  return LOWEST + randomInt(steps) * MAX_WORKERS + worker;
}

function firstOfKernel(): number {
  try {
    const [first = 0] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split('\t').map(Number);
    return first > LOWEST + 1_000 ? first : USUAL_FIRST_OF_KERNEL;
  } catch {
    return USUAL_FIRST_OF_KERNEL;
  }
}

async function canListen(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
