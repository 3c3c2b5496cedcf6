/**
 * The guard of CI: processor time per small chat request, gateway against bare proxy, taken in turns, the median of three.
 * Prints one line of JSON. Short, so it warms up less than the real benchmark and shows a higher ratio than that.
 */
import { buildIfStale } from '../server/bin/build.mjs';
import { startGateway } from './gateway.mjs';
import { compare } from './measure.mjs';
import { start, stopEverything } from './processes.mjs';
import { WORKLOADS } from './workloads.mjs';

try {
  await buildIfStale();
  const upstream = await start('upstream.mjs');
  const bare = await start('bare-proxy.mjs', { env: { UPSTREAM: `http://127.0.0.1:${upstream.port}` } });
  const yardstick = { name: 'bare proxy', port: bare.port, pids: [bare.pid] };
  const gateway = await startGateway({ name: 'gateway', upstreamPort: upstream.port });
  const terms = { requests: 2_000, warmup: 4_000, rounds: 3, concurrency: 16 };
  const results = await compare([yardstick, gateway], WORKLOADS[0], terms);
  await gateway.stop();
  const [bareUs, gatewayUs] = ['bare proxy', 'gateway'].map((name) => results.get(name).cpuUs);
  console.log(JSON.stringify({ bareUs, gatewayUs, ratio: gatewayUs / bareUs }));
} finally {
  await stopEverything();
}
