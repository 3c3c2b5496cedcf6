/** The files that companies install from: valid to the programs that read them, and true to the server. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { NO_FILE } from '../../src/config/index.ts';
import { programMissing, programPath } from '../services/programs.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const text = (path: string) => readFileSync(join(root, path), 'utf8');

interface Manifest {
  kind: string;
  spec?: Record<string, never>;
}

describe.skipIf(programMissing('helm'))('the Helm chart', () => {
  const helm = (...args: string[]) =>
    execFileSync(programPath('helm') ?? '', [...args, '--kube-version', '1.30.0'], { cwd: root }).toString();
  const render = (...args: string[]) =>
    parseAllDocuments(helm('template', 'gate', 'deploy/helm/dargah', ...args)).map(
      (document) => document.toJS() as Manifest,
    );

  it('renders with its defaults: a stateful set with a journal, probes, a budget, one migration', () => {
    const all = render();
    const kinds = all.map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['StatefulSet', 'Service', 'PodDisruptionBudget', 'Job']));
    const gateway = JSON.stringify(all.find(({ kind }) => kind === 'StatefulSet'));
    for (const part of [
      'volumeClaimTemplates',
      'livenessProbe',
      'readinessProbe',
      'readOnlyRootFilesystem',
      'runAsNonRoot',
    ])
      expect(gateway).toContain(part);
  });

  it('renders autoscaling on requests in flight, an ingress that does not buffer, and a monitor', () => {
    const sets = [
      'autoscaling.enabled=true',
      'ingress.enabled=true',
      'serviceMonitor.enabled=true',
      'serviceMonitor.tokenSecret=s',
    ];
    const all = render(...sets.flatMap((set) => ['--set', set]), '--set-string', 'config=sandbox: true');
    const rendered = JSON.stringify(all);
    expect(rendered).toContain('dargah_requests_running');
    expect(rendered).toContain('proxy-buffering');
    expect(all.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['Ingress', 'ServiceMonitor', 'ConfigMap']));
  });

  it('refuses values that make no sense, by its schema', () => {
    expect(() => render('--set', 'replicas=0')).toThrow();
    expect(() => render('--set', 'journal.size=much')).toThrow();
  });
});

describe('the proxies in front', () => {
  it.skipIf(programMissing('caddy'))('Caddy takes its file', () => {
    const args = ['validate', '--adapter', 'caddyfile', '--config', join(root, 'deploy/caddy/Caddyfile')];
    execFileSync(programPath('caddy') ?? '', args, { stdio: 'pipe' });
  });

  it.skipIf(programMissing('nginx') || programMissing('openssl'))('nginx takes its file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'dargah-nginx-'));
    try {
      execFileSync(
        programPath('openssl') ?? '',
        [
          'req',
          '-x509',
          '-newkey',
          'rsa:2048',
          '-nodes',
          '-days',
          '1',
          '-subj',
          '/CN=x',
          '-keyout',
          join(folder, 'key.pem'),
          '-out',
          join(folder, 'cert.pem'),
        ],
        { stdio: 'pipe' },
      );
      const site = text('deploy/nginx/dargah.conf')
        .replace('/etc/ssl/dargah/fullchain.pem', join(folder, 'cert.pem'))
        .replace('/etc/ssl/dargah/privkey.pem', join(folder, 'key.pem'));
      writeFileSync(
        join(folder, 'nginx.conf'),
        `pid ${folder}/pid; error_log stderr; events {}\nhttp { access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;\n${site}\n}`,
      );
      execFileSync(programPath('nginx') ?? '', ['-t', '-c', join(folder, 'nginx.conf')], { stdio: 'pipe' });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('none of them buffers streams', () => {
    expect(text('deploy/nginx/dargah.conf')).toMatch(/proxy_buffering off;/);
    expect(text('deploy/caddy/Caddyfile')).toMatch(/flush_interval -1/);
  });
});

describe('the compose file', () => {
  interface Compose {
    services: Record<string, { environment?: Record<string, string>; ports?: string[]; read_only?: boolean }>;
  }
  const compose = () => parse(text('compose.yaml')) as Compose;

  it('has two gateways by a number, PostgreSQL, Redis, a proxy with TLS, and the watchers as a profile', () => {
    const { services } = compose();
    expect(Object.keys(services)).toEqual(
      expect.arrayContaining(['gateway', 'postgres', 'redis', 'proxy', 'prometheus', 'grafana']),
    );
    expect(text('compose.yaml')).toMatch(/replicas: .\{DARGAH_REPLICAS:-2\}/);
    expect(services['gateway']?.read_only).toBe(true);
    expect(services['gateway']?.environment?.['DARGAH_DATA_DIR']).toBe('/data/{slot}');
  });

  it('publishes no database and has no password of its own', () => {
    const { services } = compose();
    expect(services['postgres']?.ports).toBeUndefined();
    expect(services['redis']?.ports).toBeUndefined();
    expect(text('deploy/compose.env.example')).not.toMatch(/^(POSTGRES|REDIS|GRAFANA)_PASSWORD=./m);
  });
});

describe('the systemd unit', () => {
  it('gives each number its port and directory, and longer to stop than a drain takes', () => {
    const unit = text('deploy/systemd/dargah@.service');
    expect(unit).toContain('PORT=808%i');
    expect(unit).toContain('StateDirectory=dargah/%i');
    const { drainMs } = NO_FILE.settings.limits;
    expect(Number(/TimeoutStopSec=(\d+)/.exec(unit)?.[1]) * 1000).toBeGreaterThan(drainMs);
  });
});
