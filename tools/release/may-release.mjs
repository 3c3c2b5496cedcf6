/** Whether a version may be released, and what is written down about it. Pure: files come in as texts. */
import { createHash } from 'node:crypto';

/** Why not, as sentences; empty when it may. */
export function refusals({ version, changelog, released }) {
  const sections = sectionsOf(changelog);
  const dated = new RegExp(`^\\[?${version.replaceAll('.', '\\.')}\\]?\\W+\\d{4}-\\d{2}-\\d{2}\\b`);
  const pending = sections.find(({ title }) => /^\[?unreleased\b/i.test(title));
  const own = sections.find(({ title }) => dated.test(title));
  return [
    ...(version in released ? [`${version} is released already: give package.json a new version`] : []),
    ...(own === undefined ? [`CHANGELOG.md has no section "## ${version} (YYYY-MM-DD)"`] : []),
    ...(own !== undefined && own.text === '' ? [`the section of ${version} in CHANGELOG.md is empty`] : []),
    ...(pending !== undefined && pending.text !== ''
      ? ['"Unreleased" of CHANGELOG.md is not empty: what stands there belongs to this version']
      : []),
  ];
}

/** released.json with this version: the files that came with it, each with its SHA-256. */
export function withVersion(released, version, files) {
  const known = new Set(Object.values(released).flatMap((listed) => Object.keys(listed)));
  const added = [...files].filter(([name]) => !known.has(name));
  const hashes = added.map(([name, sql]) => [name, createHash('sha256').update(sql).digest('hex')]);
  return { ...released, [version]: Object.fromEntries(hashes) };
}

function sectionsOf(changelog) {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n');
      return { title: title.trim(), text: lines.join('\n').trim() };
    });
}
