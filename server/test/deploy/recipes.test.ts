/** The files that companies install from: valid to the programs that read them, and true to the server. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { NO_FILE, readEnvironment } from '../../src/config/index.ts';
import { programMissing, programPath } from '../services/programs.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const text = (path: string) => readFileSync(join(root, path), 'utf8');

interface Manifest {
  kind: string;
  metadata: { labels: Record<string, string> };
  spec: { jobLabel?: string; selector: { matchLabels: Record<string, string> } };
}

describe.skipIf(programMissing('helm'))('the Helm chart', () => {
  const helm = (...args: string[]) =>
    execFileSync(programPath('helm') ?? '', [...args, '--kube-version', '1.30.0'], { cwd: root }).toString();
  const template = (...args: string[]) =>
    parseAllDocuments(helm('template', 'gate', 'deploy/helm/dargah', ...args)).map(
      (document) => document.toJS() as Manifest,
    );
  const render = (...args: string[]) => template('--set', 'secrets={gate}', ...args);

  it('renders with a secret and its defaults: a stateful set with a journal, probes, a budget, one migration', () => {
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

  it('lets the monitor find every pod once, by one of the two services', () => {
    const all = render('--set', 'serviceMonitor.enabled=true', '--set', 'serviceMonitor.tokenSecret=s');
    const monitor = all.find(({ kind }) => kind === 'ServiceMonitor');
    const wanted = Object.entries(monitor?.spec.selector.matchLabels ?? {});
    const found = all.filter(
      ({ kind, metadata }) => kind === 'Service' && wanted.every(([name, value]) => metadata.labels[name] === value),
    );
    expect(wanted.length).toBeGreaterThan(0);
    expect(found).toHaveLength(1);
    expect(found[0]?.metadata.labels[monitor?.spec.jobLabel ?? '']).toBe('dargah');
  });

  it('refuses to start gateways that would not share a database', () => {
    const why = /without a shared database/;
    expect(() => template()).toThrow(why);
    expect(() => template('--set', 'secretValues.OPENAI_API_KEY=k')).toThrow(why);
  });

  it('gives the migration the plain variables too, and replaces the pods when a value of its secret changes', () => {
    const secret = (password: string) => ['--set', `secretValues.DATABASE_URL=postgres://u:${password}@h/d`];
    const of = (kind: string, ...args: string[]) => JSON.stringify(template(...args).find((one) => one.kind === kind));
    const plain = '{"name":"PGSSLROOTCERT","value":"/ca.pem"}';
    const env = [...secret('a'), '--set', 'env.PGSSLROOTCERT=/ca.pem'];
    for (const kind of ['Job', 'StatefulSet']) expect(of(kind, ...env), kind).toContain(plain);
    expect(of('StatefulSet', ...secret('a'))).not.toBe(of('StatefulSet', ...secret('b')));
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
        .replace('/etc/ssl/dargah/privkey.pem', join(folder, 'key.pem'))
        .replaceAll('/var/log/nginx/', `${folder}/`);
      writeFileSync(
        join(folder, 'nginx.conf'),
        `pid ${folder}/pid; error_log stderr; events {}\nhttp { access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;\n${site}\n}`,
      );
      execFileSync(programPath('nginx') ?? '', ['-t', '-c', join(folder, 'nginx.conf')], { stdio: 'pipe' });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('none of them logs a key that came in the address', () => {
    const [format = ''] = /^log_format [^;]*;/m.exec(text('deploy/nginx/dargah.conf')) ?? [];
    expect(format).toContain('$uri');
    expect(format).not.toMatch(/\$(?:request\b|request_uri|args|query_string|arg_|http_referer)/);
    expect(text('deploy/nginx/dargah.conf')).toMatch(/access_log \S+ dargah;\s[^}]*error_log \S+ crit;/);
    expect(text('deploy/caddy/Caddyfile')).toMatch(/request>uri query \{\s+delete key\s+\}/);
  });

  it('none of them buffers streams', () => {
    expect(text('deploy/nginx/dargah.conf')).toMatch(/proxy_buffering off;/);
    expect(text('deploy/caddy/Caddyfile')).toMatch(/flush_interval -1/);
    for (const file of ['deploy/nginx/dargah.conf', 'deploy/caddy/Caddyfile'])
      expect(text(file)).toMatch(/^\s*(add_)?header .*Strict-Transport-Security "max-age=31536000"/m);
  });
});

describe('the compose file', () => {
  interface Compose {
    services: Record<string, { environment?: Record<string, string>; ports?: string[]; read_only?: boolean }>;
    secrets: Record<string, { environment: string }>;
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

  it('lets Prometheus read the metrics and gives it no token of the operator', () => {
    const { services, secrets } = compose();
    expect(JSON.stringify(services['prometheus'])).not.toContain('OPERATOR');
    expect(secrets).toEqual({ metrics_token: { environment: 'DARGAH_METRICS_TOKEN' } });
    expect(text('deploy/prometheus/prometheus.yml')).toContain('credentials_file: /run/secrets/metrics_token');
    // Without a value compose refuses to start: an empty secret would scrape nothing.
    expect(services['gateway']?.environment?.['DARGAH_METRICS_TOKEN']).toContain(':?');
  });

  it('gives Grafana a password of its own, and nobody needs a token of the operator', () => {
    const { services } = compose();
    const grafana = JSON.stringify(services['grafana']);
    expect(grafana).toContain('${GRAFANA_PASSWORD:?');
    expect(grafana).not.toContain('OPERATOR');
    expect(services['gateway']?.environment?.['DARGAH_OPERATOR_TOKEN']).toMatch(/:-\}$/);
  });

  it('hands over who carries messages, since the image is for production, where there is no other messenger', () => {
    const given = compose().services['gateway']?.environment ?? {};
    const named = text('server/src/config/messages.ts').match(/'(KAVENEGAR|SMSIR|SMTP)_\w+'/g) ?? [];
    expect(named.length).toBeGreaterThan(6);
    // Addresses of fake carriers are for tests.
    for (const name of named.map((one) => one.slice(1, -1)).filter((one) => !one.endsWith('_ORIGIN'))) {
      expect(given[name]).toBe(`\${${name}:-}`);
      expect(text('deploy/compose.env.example')).toContain(`\n${name}=\n`);
    }
    expect(text('Dockerfile')).toContain('NODE_ENV=production');
    expect(text('deploy/systemd/dargah@.service')).toContain('NODE_ENV=production');
  });

  it('names the proxy in front, by the networks that Docker uses', () => {
    const proxies = compose().services['gateway']?.environment?.['DARGAH_TRUSTED_PROXIES'] ?? '';
    const byDefault = /:-(.+)\}$/.exec(proxies)?.[1];
    const { environment, mistakes } = readEnvironment({ DARGAH_TRUSTED_PROXIES: byDefault });
    expect(mistakes).toEqual([]);
    expect(environment.trustedProxies).toContain('172.16.0.0/12');
  });

  it('publishes no database and has no password of its own', () => {
    const { services } = compose();
    expect(services['postgres']?.ports).toBeUndefined();
    expect(services['redis']?.ports).toBeUndefined();
    expect(text('deploy/compose.env.example')).not.toMatch(/^(POSTGRES|REDIS|GRAFANA)_PASSWORD=./m);
  });
});

describe('the systemd unit', () => {
  it('gives each number its port and directory', () => {
    const unit = text('deploy/systemd/dargah@.service');
    expect(unit).toContain('PORT=808%i');
    expect(unit).toContain('StateDirectory=dargah/%i');
  });
});

describe('the time to stop', () => {
  // What follows the drain is bounded step by step (wiring/shutdown.ts): the database, flushes, connections.
  const least = NO_FILE.settings.limits.drainMs / 1000 + 30;
  it.each([
    ['deploy/systemd/dargah@.service', /^TimeoutStopSec=(\d+)$/m, least],
    ['compose.yaml', /stop_grace_period: (\d+)s/, least],
    // Its five seconds before SIGTERM count as well.
    ['deploy/helm/dargah/values.yaml', /^terminationGracePeriodSeconds: (\d+)$/m, least + 5],
  ])('in %s covers a drain and what comes after it', (path, written, seconds) => {
    expect(Number(written.exec(text(path))?.[1])).toBeGreaterThanOrEqual(seconds);
  });
});
