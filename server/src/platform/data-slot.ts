/**
 * Several processes that share one volume, each with a data directory of its own: `/data/{slot}` becomes `/data/1`,
 * `/data/2`, … and every process takes the first that nobody uses. A journal that a dead process left behind is found by
 * the next one that takes its directory.
 *
 * A slot is held by listening on a socket file. Process ids would not do: two containers have two sets of them. The kernel
 * closes the socket with its process, so a slot is free as soon as its owner is dead.
 */
import { mkdir, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

const PLACE = '{slot}';
const MAX_SLOTS = 256;
const SOCKET = 'slot.sock';

export interface DataSlot {
  dataDir: string;
  release(): Promise<void>;
}

export function hasSlot(dataDir: string): boolean {
  return dataDir.includes(PLACE);
}

/** The directories of all slots, in order; for whoever looks for a running server. */
export function* slotDirectories(dataDir: string): Generator<string> {
  for (let slot = 1; slot <= MAX_SLOTS; slot++) yield dataDir.replace(PLACE, String(slot));
}

export async function takeDataSlot(dataDir: string): Promise<DataSlot> {
  for (const directory of slotDirectories(dataDir)) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const server = await hold(join(directory, SOCKET));
    if (server) return { dataDir: directory, release: () => releaseSlot(server) };
  }
  throw new Error(`all ${MAX_SLOTS} slots of ${dataDir} are in use`);
}

/** Returns undefined when another process holds the slot. */
async function hold(path: string): Promise<Server | undefined> {
  const server = await listen(path);
  if (server || (await answers(path))) return server;
  // The owner is dead. Its file is moved aside before it is deleted: another process may have taken the slot since we looked.
  const aside = `${path}.${process.pid}`;
  await rename(path, aside).catch(() => undefined);
  if (await answers(aside)) {
    await rename(aside, path);
    return undefined;
  }
  await rm(aside, { force: true });
  return listen(path);
}

function listen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    // A supervisor would share the socket among its processes (processes/supervisor.ts); the slot is for one.
    server.listen({ path, exclusive: true }, () => resolve(server.unref()));
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function releaseSlot(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
