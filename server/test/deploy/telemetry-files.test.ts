/** Alert rules and the dashboard ask only for series that /metrics really has. */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { faults } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { programMissing, programPath } from '../services/programs.ts';

const file = (path: string) => fileURLToPath(new URL(`../../../deploy/${path}`, import.meta.url));

interface Rules {
  groups: { rules: { alert: string; expr: string; annotations: { runbook: string } }[] }[];
}
interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[];
}

let gateway: TestGateway;
let exported: Set<string>;

beforeAll(async () => {
  gateway = await startGateway();
  const ask = (model: string) =>
    gateway.chat({ model, stream: true, messages: [{ role: 'user', content: 'hi' }] }).then((reply) => reply.text());
  gateway.vendor.next(faults.failWith(500));
  await ask('mock/two');
  await ask('mock/unknown');
  const text = await (await gateway.admin('GET', '/metrics')).text();
  exported = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name ?? ''));
});
afterAll(() => gateway.stop());

/** Names of ours and of the process in a query; `_bucket`, `_sum` and `_count` belong to their histogram. */
function seriesIn(expression: string): string[] {
  const names = expression.match(/\b(dargah|process|nodejs)_[a-z0-9_]+/g) ?? [];
  return [...new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')))];
}

const rules = async () =>
  (parse(await readFile(file('prometheus/alerts.yml'), 'utf8')) as Rules).groups.flatMap((group) => group.rules);

describe('alert rules', () => {
  it('ask for series that exist', async () => {
    for (const { alert, expr } of await rules())
      for (const name of seriesIn(expr)) expect([...exported], alert).toContain(name);
  });

  it('lead to a page and a heading of the runbook that exist', async () => {
    for (const { alert, annotations } of await rules()) {
      const [page = '', heading] = annotations.runbook.split('#');
      const text = await readFile(file(`../${page}`), 'utf8');
      const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, words]) => words?.toLowerCase().replaceAll(' ', '-'));
      if (heading !== undefined) expect(headings, alert).toContain(heading);
    }
  });

  it.skipIf(programMissing('promtool'))('are valid to Prometheus itself', () => {
    const output = execFileSync(programPath('promtool') ?? '', ['check', 'rules', file('prometheus/alerts.yml')]);
    expect(output.toString()).toContain('SUCCESS');
  });
});

describe('the dashboard', () => {
  it('asks for series that exist, in every panel', async () => {
    const { panels } = JSON.parse(await readFile(file('grafana/dashboards/dargah.json'), 'utf8')) as Dashboard;
    expect(panels.length).toBeGreaterThan(12);
    for (const { title, targets } of panels)
      for (const { expr } of targets) {
        const names = seriesIn(expr);
        expect(names.length, title).toBeGreaterThan(0);
        for (const name of names) expect([...exported], title).toContain(name);
      }
  });

  it('counts errors as the alert of errors does', async () => {
    const { panels } = JSON.parse(await readFile(file('grafana/dashboards/dargah.json'), 'utf8')) as Dashboard;
    const alert = (await rules()).find((rule) => rule.alert === 'DargahErrors')?.expr ?? '';
    const shown = panels.flatMap(({ targets }) => targets).find(({ expr }) => expr.includes('status=~'))?.expr ?? '';
    const plain = (expr: string) => expr.replace(/\[[^\]]+\]/g, '[]').replace(/\s+/g, '');
    expect(`${plain(shown)}>0.05`).toBe(plain(alert));
  });
});
