/** kill -9 in the middle of ingesting fifty files, twice: all end ready, each once, none twice. */
import type { ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BundledScript, bundleScript } from '../services/bundled-script.ts';
import { openEmbeddedAt, temporaryDataDirectory } from '../services/embedded-database.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
let script: BundledScript;
let dataDir: string;

beforeAll(async () => {
  script = await bundleScript(path('./ingest.script.ts'), [
    path('../../src/platform/db/embedded.worker.ts'),
    path('../../src/knowledge/reading/read-document.worker.ts'),
  ]);
  dataDir = await temporaryDataDirectory();
});
afterAll(async () => {
  await script.remove();
  await rm(dataDir, { recursive: true, force: true });
});

interface Report {
  ready: number;
  failed: number;
}

/** Runs until `until` is ready and it kills itself, since an order from here might come too late; or to the end. */
function run(until: number): Promise<Report> {
  return new Promise((resolve, reject) => {
    const child: ChildProcess = script.start(dataDir, path('../../migrations'), String(until));
    let last: Report = { ready: 0, failed: 0 };
    child.on('message', (report: Report) => {
      last = report;
    });
    child.once('error', reject);
    child.once('exit', () => resolve(last));
  });
}

it('ends with fifty ready documents', async () => {
  const first = await run(10);
  expect(first.ready).toBeGreaterThanOrEqual(10);
  expect(first.ready).toBeLessThan(50);
  const second = await run(25);
  expect(second.ready).toBeLessThan(50);
  expect(await run(50)).toEqual({ ready: 50, failed: 0 });

  const db = await openEmbeddedAt(dataDir);
  const [sums] = await db.query<Record<string, number>>(`select
    (select count(*)::int from knowledge_document where state = 'ready') as documents,
    (select count(*)::int from knowledge_job) as jobs,
    (select count(*)::int from knowledge_content) as contents,
    (select count(*)::int from knowledge_passage) as passages,
    (select count(*)::int from knowledge_passage where live) as live,
    (select count(*)::int from knowledge_vector) as vectors,
    (select sum(passages)::int from knowledge_document) as told,
    (select passages::int from knowledge_base) as counted,
    (select count(*)::int from (select 1 from knowledge_passage group by document_id, ordinal having count(*) > 1) twice) as twice,
    (select count(*)::int from knowledge_word w where w.passages <> (
       select count(*) from knowledge_passage p where p.live and p.words @@ quote_literal(w.word)::tsquery)) as miscounted`);
  await db.close();
  const passages = sums?.['passages'];
  expect(passages).toBeGreaterThanOrEqual(50);
  expect(sums).toEqual({
    documents: 50,
    jobs: 0,
    contents: 0,
    passages,
    live: passages,
    vectors: passages,
    told: passages,
    counted: passages,
    twice: 0,
    miscounted: 0,
  });
}, 300_000);
