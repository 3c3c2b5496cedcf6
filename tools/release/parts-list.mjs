/** What a release is made of: a CycloneDX list for machines, the licences in full for people. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export function partsList(manifest, packages) {
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        name: manifest.name,
        version: manifest.version,
        'bom-ref': `pkg:npm/${manifest.name}@${manifest.version}`,
        licenses: [{ license: { id: manifest.license } }],
      },
    },
    components: packages.map(({ name, version, license, integrity, path }) => ({
      type: 'library',
      name,
      version,
      'bom-ref': path,
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      // An expression such as "(MIT OR Apache-2.0)" is not an id.
      licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { name: license } }],
      ...(integrity ? { hashes: [hashOf(integrity)] } : {}),
    })),
  };
}

function hashOf(integrity) {
  const [algorithm, value] = integrity.split(' ')[0].split(/-(.*)/s);
  return { alg: algorithm.replace(/^sha/, 'SHA-'), content: Buffer.from(value, 'base64').toString('hex') };
}

export function licenceList(packages, root) {
  const parts = packages.map(({ name, version, license, path }) => {
    const folder = join(root, path);
    const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    const text =
      file === undefined ? 'The package brings no text of its licence.' : readFileSync(join(folder, file), 'utf8');
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  return parts.join(`\n${'-'.repeat(80)}\n\n`);
}
