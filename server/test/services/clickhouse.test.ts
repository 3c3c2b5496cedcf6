/** @tier gateway The engine of ClickHouse, played by small programs: its port is found, and what it dies of is told. */
import { describe, expect, it } from 'vitest';
import { scaled } from '../harness/slowness.ts';
import { startEngine } from './clickhouse.ts';

const LONG_MS = scaled(30_000);
const UNTIL_ITS_INPUT_ENDS = "process.stdin.resume().on('end', () => process.exit());";
const engine = (script: string, maxStartMs = LONG_MS) => startEngine(process.execPath, ['-e', script], maxStartMs);

describe('the engine of ClickHouse for tests', () => {
  it('is found however its output is cut, and may say as much as it likes', async () => {
    const started = await engine(`
      const pieces = ['starting\\nlist', 'ening', ' ', '41', '23', '\\n', 'x'.repeat(1 << 20), '\\n'];
      const say = (at) => {
        if (at < pieces.length) process.stdout.write(pieces[at], () => setTimeout(say, 5, at + 1));
        else ${UNTIL_ITS_INPUT_ENDS}
      };
      say(0);`);
    expect(started.url).toBe('http://default@127.0.0.1:4123/default');
    await started.stop();
  });

  it('tells what it died of before it listened', async () => {
    await expect(engine("console.error('no such processor'); process.exit(3)")).rejects.toThrow(
      /ended with code 3; it said: no such processor/,
    );
    await expect(engine("process.kill(process.pid, 'SIGKILL')")).rejects.toThrow(/ended with SIGKILL/);
    await expect(startEngine('/nowhere/python', [], LONG_MS)).rejects.toThrow(/cannot be started .*ENOENT/);
  });

  it('tells what it said when it never tells its port', async () => {
    const silent = startEngine('sh', ['-c', 'echo still loading >&2; exec cat'], scaled(2_000));
    await expect(silent).rejects.toThrow(/did not tell its port within \d+ ms; it said: still loading/);
  });

  it('tells a death while it was used to who ends it', async () => {
    const started = await engine(`console.log('listening 1');
      process.stdin.resume().on('end', () => { console.error('out of memory'); process.exit(9); });`);
    await expect(started.stop()).resolves.toBeUndefined();
    const dying = await engine("console.log('listening 1'); console.error('gone'); process.exitCode = 9;");
    await dying.ended;
    await expect(dying.stop()).rejects.toThrow(/ended with code 9; it said: gone/);
  });
});
