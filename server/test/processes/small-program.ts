/**
 * A program under the supervisor that does nothing but answer: a process of it says which one it is, has a journal's lock in its
 * directory, and behaves as files in the common directory tell it to.
 *
 *   hold    a process that starts waits until the file is gone
 *   fail    a process that starts ends at once
 *   linger  a process that is told to end does not
 */
import cluster from 'node:cluster';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { metricsReader, sayReady } from '../../src/processes/supervised.ts';
import { Supervisor } from '../../src/processes/supervisor.ts';

const LOOK_MS = 10;
const [dataDir = '', port = '0', processes = '2'] = process.argv.slice(2);

if (cluster.isPrimary) {
  const say = (line: string) => void process.send?.(line);
  const supervisor = new Supervisor({ processes: Number(processes), dataDir, say, exit: (code) => process.exit(code) });
  process.on('message', (order) => (order === 'roll' ? supervisor.roll() : supervisor.stop('SIGTERM')));
  // Its test has ended.
  process.once('disconnect', () => process.exit(1));
  await supervisor.start();
} else {
  const own = process.env['DARGAH_DATA_DIR'] ?? '';
  const told = (name: string) => existsSync(join(dirname(own), name));
  const lock = join(own, 'journal', 'lock');
  mkdirSync(dirname(lock), { recursive: true });
  writeFileSync(join(own, 'pid'), String(process.pid));
  if (told('fail')) process.exit(1);
  while (told('hold')) await sleep(LOOK_MS);
  writeFileSync(lock, '');
  const metrics = { text: () => 'alone', exported: () => [] };
  const read = metricsReader(metrics as never);
  const server = createServer(async (request, response) => {
    response.setHeader('connection', 'close');
    if (request.url === '/metrics') await read();
    response.end(String(process.pid));
  });
  process.on('SIGTERM', () => {
    if (told('linger')) return;
    rmSync(lock);
    process.exit(0);
  });
  server.listen(Number(port), '127.0.0.1', sayReady);
}
