/**
 * What `--check-config` prints: every mistake and warning, and, when there is no mistake, what the file would change.
 */
import { type Finding, findingText } from '../catalog/reading/index.ts';
import type { ConfigFile } from './yaml.ts';

export interface ConfigCheck {
  ok: boolean;
  lines: string[];
}

export function checkConfig(
  fileName: string | undefined,
  config: ConfigFile,
  environmentMistakes: readonly Finding[] = [],
): ConfigCheck {
  const { mistakes, warnings, catalog, accounts } = config;
  const name = fileName ?? 'no configuration file';
  const lines = [
    ...environmentMistakes.map((finding) => `mistake  environment: ${findingText(finding)}`),
    ...mistakes.map((finding) => `mistake  ${findingText(finding)}`),
    ...warnings.map((finding) => `warning  ${findingText(finding)}`),
  ];
  const count = mistakes.length + environmentMistakes.length;
  if (count > 0) return { ok: false, lines: [...lines, `${name}: ${counted(count, 'mistake')}`] };
  const keys = accounts.reduce((sum, account) => sum + account.keys.length, 0);
  const parts = [
    counted(catalog.providers.length, 'provider'),
    counted(catalog.models.length, 'model'),
    counted(catalog.groups.length, 'group'),
    counted(accounts.length, 'account'),
    counted(keys, 'key'),
  ];
  return { ok: true, lines: [...lines, `${name}: no mistakes (${parts.join(', ')})`] };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
