/**
 * Hashes passwords on a thread of its own. On the event loop it would block every request, and in the shared thread
 * pool the journal's writes.
 */
import { scryptSync } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

export interface HashOrder {
  id: number;
  password: string;
  salt: Uint8Array;
  cost: number;
  blockSize: number;
  parallelization: number;
}

const LENGTH = 32;

parentPort?.on('message', ({ id, password, salt, cost, blockSize, parallelization }: HashOrder) => {
  const options = { cost, blockSize, parallelization, maxmem: 256 * cost * blockSize };
  parentPort?.postMessage({ id, hash: scryptSync(password.normalize('NFC'), salt, LENGTH, options) });
});
