/** Finds model servers on the operator's own machine (Ollama, vLLM, llama.cpp) by asking each for its list of models. */
import type { Json } from '../../core/json.ts';
import { VENDORS, type Vendor } from '../../vendors/index.ts';
import { baseUrlOf, type Environment } from './vendor-address.ts';

/**
 * Fetches JSON; undefined for anything but a 200 with JSON in time. It is passed in, because this layer opens no
 * sockets.
 */
export type Probe = (url: string, timeoutMs: number) => Promise<Json | undefined>;

export interface FoundServer {
  vendor: Vendor;
  baseUrl: string;
  models: string[];
}

/** Long enough for a server on this machine, short enough not to be felt at start. All are asked at once. */
const PROBE_TIMEOUT_MS = 300;

export async function discoverServers(env: Environment, probe: Probe, ownPort: number): Promise<FoundServer[]> {
  const asked = VENDORS.map(async (vendor): Promise<FoundServer[]> => {
    const baseUrl = baseUrlOf(vendor, env);
    // llama.cpp and this server use the same default port, so this server must not find itself.
    if (!vendor.discovery || baseUrl === undefined || isOwn(baseUrl, ownPort)) return [];
    const answer = await probe(baseUrl + vendor.discovery.path, PROBE_TIMEOUT_MS).catch(() => undefined);
    const models = answer === undefined ? undefined : vendor.discovery.readModels(answer);
    return models && models.length > 0 ? [{ vendor, baseUrl, models }] : [];
  });
  return (await Promise.all(asked)).flat();
}

function isOwn(baseUrl: string, ownPort: number): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { hostname, port } = new URL(baseUrl);
  return ['127.0.0.1', 'localhost', '[::1]'].includes(hostname) && Number(port) === ownPort;
}
