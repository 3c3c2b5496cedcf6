/**
 * Other gateways on the same work, where they can be had: Portkey from npm into a temporary folder; LiteLLM and the Go gateways
 * Bifrost (`bifrost-http`) and GoModel (`gomodel`) when they are on the PATH. A peer that does not answer as asked is left out.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCommand } from './processes.mjs';
import { WORKLOADS } from './workloads.mjs';

const PORTKEY = '@portkey-ai/gateway@1.15.2';
const MAX_TRIES = 60;
const CHAT = /chat\/completions$/;

/** Peers that run; each failure is a line, not the end of the benchmark. */
export async function startPeers(upstreamPort) {
  const peers = [];
  for (const begin of [startPortkey, startLiteLlm, startBifrost, startGoModel]) {
    let peer;
    try {
      peer = await begin(upstreamPort);
      if (!peer) continue;
      await tryOnce(peer);
      peers.push(peer);
    } catch (error) {
      console.log(`  ${begin.name}: ${String(error.message).split('\n')[0]}`);
      await peer?.stop();
    }
  }
  return peers;
}

/** A peer must really answer before it is measured. Some report ready a while before they listen. */
async function tryOnce(peer) {
  const [{ path, body }] = WORKLOADS;
  const headers = { 'content-type': 'application/json', authorization: 'Bearer none', ...peer.headers };
  const url = `http://127.0.0.1:${peer.port}${peer.pathOf(path)}`;
  for (let tries = 1; ; tries++) {
    try {
      const answer = await fetch(url, { method: 'POST', headers, body });
      const text = await answer.text();
      if (answer.ok && text.includes('"choices"')) return;
      throw new Error(`answered ${answer.status}: ${text.slice(0, 200)}`);
    } catch (error) {
      if (tries === MAX_TRIES || error.cause?.code !== 'ECONNREFUSED') throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

const onPath = (command) => spawnSync('which', [command]).status === 0;

async function startPortkey(upstreamPort) {
  const folder = await mkdtemp(join(tmpdir(), 'dargah-peer-'));
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  execFileSync('npm', ['i', '--ignore-scripts', '--no-audit', '--no-fund', PORTKEY], { cwd: folder, stdio: 'ignore' });
  const script = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  const port = await freePort();
  const running = await startCommand(process.execPath, [script, '--headless', `--port=${port}`], {
    cwd: folder,
    env: { NODE_ENV: 'production' },
    ready: /running|ready|listening/i,
  });
  const headers = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1` };
  return peerOf({ name: 'Portkey', port, running, folder, headers, share: 0.25 });
}

async function startLiteLlm(upstreamPort) {
  if (!onPath('litellm')) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'dargah-peer-'));
  const model = { model: 'openai/bench', api_base: `http://127.0.0.1:${upstreamPort}/v1`, api_key: 'none' };
  const key = 'sk-bench-0123456789abcdef0123456789abcdef';
  const config = {
    model_list: [{ model_name: 'bench/chat', litellm_params: model }],
    general_settings: { master_key: key },
  };
  await writeFile(join(folder, 'config.yaml'), JSON.stringify(config));
  const port = await freePort();
  const running = await startCommand('litellm', ['--config', join(folder, 'config.yaml'), '--port', String(port)], {
    ready: /Uvicorn running|startup complete/i,
  });
  const headers = { authorization: `Bearer ${key}` };
  return peerOf({ name: 'LiteLLM', port, running, folder, headers, share: 0.05 });
}

/** The model's name `bench/chat` is provider and model to it, so the provider is called `bench`. */
async function startBifrost(upstreamPort) {
  if (!onPath('bifrost-http')) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'dargah-peer-'));
  const provider = {
    keys: [{ name: 'bench', value: 'none', models: ['*'], weight: 1 }],
    network_config: { base_url: `http://127.0.0.1:${upstreamPort}` },
    concurrency_and_buffer_size: { concurrency: 1_000, buffer_size: 5_000 },
    custom_provider_config: { base_provider_type: 'openai' },
  };
  const config = {
    client: { enable_logging: false },
    providers: { bench: provider },
    config_store: { enabled: false },
  };
  await writeFile(join(folder, 'config.json'), JSON.stringify(config));
  const port = await freePort();
  const args = ['-app-dir', folder, '-host', '127.0.0.1', '-port', String(port), '-log-level', 'info'];
  const running = await startCommand('bifrost-http', args, { ready: /started|listening|ready|running/i });
  return peerOf({ name: 'Bifrost', port, running, folder });
}

async function startGoModel(upstreamPort) {
  if (!onPath('gomodel')) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'dargah-peer-'));
  const port = await freePort();
  const env = {
    PORT: String(port),
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: `http://127.0.0.1:${upstreamPort}/v1`,
    OPENAI_MODELS: 'bench/chat',
    CONFIGURED_PROVIDER_MODELS_MODE: 'allowlist',
    LOGGING_ENABLED: 'false',
  };
  const running = await startCommand('gomodel', [], {
    cwd: folder,
    env,
    ready: /started|listening|ready|starting server/i,
  });
  return peerOf({ name: 'GoModel', port, running, folder });
}

function peerOf({ name, port, running, folder, headers = {}, share = 1 }) {
  return {
    name,
    isPeer: true,
    port,
    headers,
    /** Of the requests that others get; slow ones would take an hour for all of them. */
    share,
    pids: [running.pid],
    serves: (workload) => CHAT.test(workload.path),
    pathOf: () => '/v1/chat/completions',
    async stop() {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
