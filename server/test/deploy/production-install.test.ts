/** What `npm ci` brings: without the tools of developers it stays small, and no supported Node is warned about. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

interface Locked {
  dev?: boolean;
  link?: boolean;
  engines?: { node?: string };
  hasInstallScript?: boolean;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> };
const packages = Object.entries(lock.packages).filter(([at, { link }]) => at.includes('node_modules/') && !link);

/** Disk blocks of a package, as `du` counts them; packages inside it are counted for themselves. */
function blocksOf(folder: string): number {
  let blocks = lstatSync(folder).blocks;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    blocks += entry.isDirectory() ? blocksOf(path) : lstatSync(path).blocks;
  }
  return blocks;
}

/** Newest of each supported line. */
const NODES = ['20.20.2', '22.23.3', '24.21.0', '26.10.0'];

function accepts(range: string, version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return range.split('||').some((part) => {
    if (part.trim() === '*') return true;
    const bound = /^(>=|>|\^|~)?\s*v?(\d+)(?:\.(\d+|\*|x))?(?:\.(\d+|\*|x))?$/.exec(part.trim());
    if (bound === null) throw new Error(`this test does not know how to read the range ${range}`);
    const [, sign = '', ...numbers] = bound;
    const [wantedMajor = 0, wantedMinor = 0, wantedPatch = 0] = numbers.map((text) => Number.parseInt(text, 10) || 0);
    const atLeast = (minor - wantedMinor || patch - wantedPatch) >= 0;
    if (sign.startsWith('>')) return major > wantedMajor || (major === wantedMajor && atLeast);
    return major === wantedMajor && atLeast;
  });
}

describe('a production install', () => {
  it('takes no more than the promised 120 MB of the disk', () => {
    const needed = packages.filter(([at, { dev }]) => dev !== true && existsSync(join(root, at)));
    expect(needed.length).toBeGreaterThan(100);
    const sizes = needed.map(([at]) => [at, (blocksOf(join(root, at)) * 512) / 2 ** 20] as const);
    const total = sizes.reduce((sum, [, size]) => sum + size, 0);
    const heaviest = sizes.sort(([, a], [, b]) => b - a).slice(0, 8);
    expect(
      total,
      `heaviest: ${heaviest.map(([at, size]) => `${at} ${size.toFixed(1)}`).join(', ')}`,
    ).toBeLessThanOrEqual(120);
  });

  it('asks for no Node that a supported one is not', () => {
    const asking = packages.filter(([, { engines }]) => engines?.node !== undefined);
    const refused = asking.flatMap(([at, { engines }]) =>
      NODES.filter((version) => !accepts(engines?.node ?? '*', version)).map((version) => `${at} on ${version}`),
    );
    expect(refused).toEqual([]);
  });
});
