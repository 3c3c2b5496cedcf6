/** What a release is refused for, and what it writes down. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

type Released = Record<string, Record<string, string>>;
interface MayRelease {
  refusals(of: { version: string; changelog: string; released: Released }): string[];
  withVersion(released: Released, version: string, files: Map<string, string>): Released;
}

const root = join(import.meta.dirname, '../../..');
const { refusals, withVersion } = (await import(join(root, 'tools/release/may-release.mjs'))) as MayRelease;
const released = { '0.1.0': { '0001_a.sql': 'x' } };
const dated = '## 0.2.0 (2026-11-20)\n\n### Added\n- A thing.\n';

describe('a release', () => {
  it('is made with a dated section and an empty "Unreleased"', () => {
    const changelog = `# Changelog\n\n## Unreleased\n\n${dated}`;
    expect(refusals({ version: '0.2.0', changelog, released })).toEqual([]);
    expect(refusals({ version: '0.2.0', changelog: `# Changelog\n\n${dated}`, released })).toEqual([]);
  });

  it.each([
    ['without a section', '# Changelog\n', '0.2.0', 'no section'],
    ['without a date', '## 0.2.0\n\n- A thing.\n', '0.2.0', 'no section'],
    ['with a section that says nothing', '## 0.2.0 (2026-11-20)\n\n## 0.1.0 (2026-11-17)\n- x\n', '0.2.0', 'empty'],
    ['with more under "Unreleased"', `## Unreleased\n\n- More.\n\n${dated}`, '0.2.0', 'Unreleased'],
    ['of a version that exists', '## 0.1.0 (2026-11-20)\n\n- A thing.\n', '0.1.0', 'released already'],
    ['of a longer number', '## 0.2.01 (2026-11-20)\n\n- A thing.\n', '0.2.0', 'no section'],
  ])('is refused %s', (_name, changelog, version, reason) => {
    const reasons = refusals({ version, changelog, released });
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toContain(reason);
  });

  it('writes down the files that came with it, and leaves those of others as they are', () => {
    const files = new Map([
      ['0001_a.sql', 'changed since'],
      ['0110_b.sql', 'create table b ()'],
    ]);
    const hash = createHash('sha256').update('create table b ()').digest('hex');
    expect(withVersion(released, '0.2.0', files)).toEqual({ ...released, '0.2.0': { '0110_b.sql': hash } });
  });
});
