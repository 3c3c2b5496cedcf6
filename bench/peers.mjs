/** Other gateways on the same work, where they can be had: Portkey from npm into a temporary folder, LiteLLM when on the PATH. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCommand } from './processes.mjs';

const PORTKEY = '@portkey-ai/gateway@1.15.2';
const CHAT = /chat\/completions$/;

/** Peers that run; each failure is a line, not the end of the benchmark. */
export async function startPeers(upstreamPort) {
  const peers = [];
  for (const begin of [startPortkey, startLiteLlm]) {
    try {
      const peer = await begin(upstreamPort);
      if (peer) peers.push(peer);
    } catch (error) {
      console.log(`  ${begin.name}: ${String(error.message).split('\n')[0]}`);
    }
  }
  return peers;
}

async function startPortkey(upstreamPort) {
  const folder = await mkdtemp(join(tmpdir(), 'dargah-peer-'));
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  execFileSync('npm', ['i', '--ignore-scripts', '--no-audit', '--no-fund', PORTKEY], { cwd: folder, stdio: 'ignore' });
  const script = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  const port = 20_000 + (process.pid % 20_000);
  const running = await startCommand(process.execPath, [script, '--headless', `--port=${port}`], {
    cwd: folder,
    env: { NODE_ENV: 'production' },
    ready: /running|ready|listening/i,
  });
  return {
    name: 'Portkey',
    isPeer: true,
    port,
    pids: [running.pid],
    serves: (workload) => CHAT.test(workload.path),
    pathOf: () => '/v1/chat/completions',
    headers: { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1` },
    async stop() {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startLiteLlm(upstreamPort) {
  if (spawnSync('which', ['litellm']).status !== 0) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'dargah-peer-'));
  const model = { model: 'openai/bench', api_base: `http://127.0.0.1:${upstreamPort}/v1`, api_key: 'none' };
  const config = { model_list: [{ model_name: 'bench/chat', litellm_params: model }] };
  await writeFile(join(folder, 'config.yaml'), JSON.stringify(config));
  const port = 40_000 + (process.pid % 20_000);
  const running = await startCommand('litellm', ['--config', join(folder, 'config.yaml'), '--port', String(port)], {
    ready: /Uvicorn running|startup complete/i,
  });
  return {
    name: 'LiteLLM',
    isPeer: true,
    port,
    pids: [running.pid],
    serves: (workload) => CHAT.test(workload.path),
    pathOf: () => '/chat/completions',
    async stop() {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
