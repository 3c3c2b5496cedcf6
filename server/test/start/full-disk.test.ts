/** A disk that is really full: a small file system of its own, where the kernel lets this user make one. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const START = fileURLToPath(new URL('../../bin/start.mjs', import.meta.url));
const MOUNT = 'mount -t tmpfs -o size=10m tmpfs "$0"';
const canMount = spawnSync('unshare', ['-rm', 'sh', '-c', MOUNT, tmpdir()]).status === 0;

it.runIf(canMount)(
  'a disk without room is said in words at the start, and not as a trace',
  async () => {
    const disk = await mkdtemp(join(tmpdir(), 'dargah-disk-'));
    onTestFinished(() => rm(disk, { recursive: true }));
    const { PATH = '' } = process.env;
    const child = spawn('unshare', ['-rm', 'sh', '-c', `${MOUNT} && exec "$@"`, disk, process.execPath, START], {
      env: { PATH, PORT: '0', DARGAH_DATA_DIR: join(disk, 'data'), DARGAH_DISCOVERY: 'off' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const [code] = await once(child, 'close');
    expect(output).toMatch(/Dargah cannot start: the disk .*has no room/);
    expect(output).not.toContain('\n    at ');
    expect(code).toBe(1);
  },
  120_000,
);
