/** What loading the client for Redis does to the rest of the process. */
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { expect, it } from 'vitest';
import { createRedis } from '../../../src/platform/redis/index.ts';

/** V8's own word: whether compiled code may look up the methods of strings once for all. */
const ASKED = '%HasFastProperties(String.prototype)';

it('the methods of strings stay fast once the client is loaded', () => {
  setFlagsFromString('--allow-natives-syntax');
  createRedis({ url: 'redis://127.0.0.1:1' }).disconnect();
  expect(new Function(`return ${ASKED}`)()).toBe(true);
});

it('the library alone makes them slow: once it does not, what client.ts does about it can go', () => {
  const library = createRequire(new URL('../../../src/platform/redis/client.ts', import.meta.url)).resolve('ioredis');
  const code = `require(${JSON.stringify(library)}); console.log(${ASKED})`;
  expect(execFileSync(process.execPath, ['--allow-natives-syntax', '-e', code], { encoding: 'utf8' }).trim()).toBe(
    'false',
  );
});
