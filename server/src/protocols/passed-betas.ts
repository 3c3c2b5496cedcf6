/** Headers of a client that are sent to a provider of its own protocol. */
import { isJsonObject, type JsonObject } from '../core/json.ts';
import { droppedWarning } from './passed-fields.ts';
import type { Quirks } from './protocol.ts';

const BETA_HEADER = 'anthropic-beta';
/** Betas of the messages protocol that change the price or let the provider run tools of its own. */
const EXPENSIVE_BETAS =
  /^(?:fast-mode|context-1m|code-execution|mcp-client|web-search|web-fetch|skills|research|priority)/;

/** Headers of a client for a provider of its own protocol, without the betas that cost more. */
export function passHeaders(
  headers: Record<string, string>,
  quirks: Quirks,
  warnings: string[],
  body: JsonObject,
): Record<string, string> {
  const betas = headers[BETA_HEADER];
  if (betas === undefined) return headers;
  const passed = passBetas(betas, quirks, warnings, neededBetas(body));
  const { [BETA_HEADER]: _betas, ...rest } = headers;
  return passed === '' ? rest : { ...rest, [BETA_HEADER]: passed };
}

/** Without its beta the provider would refuse a field that passed because it is sold. */
function neededBetas({ speed, tools }: JsonObject): string[] {
  const types = (Array.isArray(tools) ? tools : []).map((tool) => (isJsonObject(tool) ? String(tool['type']) : ''));
  const needed = ['web-search', 'web-fetch', 'code-execution'].filter((beta) =>
    types.some((type) => type.startsWith(`${beta.replace('-', '_')}_`)),
  );
  return speed === 'fast' ? [...needed, 'fast-mode'] : needed;
}

function passBetas(betas: string, quirks: Quirks, warnings: string[], needed: readonly string[]): string {
  if (quirks.passFields === 'all') return betas;
  const all = betas.split(/[,;\s]/).filter(Boolean);
  const isKept = (beta: string): boolean => !isExpensive(beta) || needed.some((name) => beta.startsWith(name));
  for (const beta of all) if (!isKept(beta)) warnings.push(droppedWarning(`${BETA_HEADER} ${beta}`));
  return all.filter(isKept).join(',');
}

/** Vendors accept betas in any letter case, so the filter ignores the case too. */
function isExpensive(beta: string): boolean {
  return EXPENSIVE_BETAS.test(
    beta
      .toLowerCase()
      .replaceAll('_', '-')
      .replace(/^[^a-z0-9]{1,100}/, ''),
  );
}
