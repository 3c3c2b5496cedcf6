/** What documents cost on their way into a base: processor time of short ones, and time and memory of a long PDF. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { systemClock } from '../../server/src/core/clock.ts';
import { startKnowledge } from '../../server/src/knowledge/index.ts';
import { createBackground } from '../../server/src/platform/background.ts';
import { type Database, QueueWatch } from '../../server/src/platform/db/index.ts';
import type { Log } from '../../server/src/platform/log.ts';
import { MemoryBudget } from '../../server/src/platform/memory-budget.ts';
import { readPairs } from './evaluate.ts';
import { writePdf } from './pdf.ts';

const REACH = { accountId: 'evaluation', baseIds: null };
const LOOK_MS = 100;
/** By then an idle reading process has been ended. */
const REST_MS = 35_000;
const SENTENCES = 12;
const LINES_PER_PAGE = 42;
const MIB = 1024 * 1024;

export interface IngestReport {
  database: string;
  shortDocuments: number;
  /** Processor time of this process per document, by thirds. */
  shortCpuMs: number[];
  pages: number;
  pdfMb: number;
  pdfSeconds: number;
  /** Processor time of this process and of the reading one. */
  pdfCpuSeconds: number;
  /** Memory of this process and of the reading one: before, at its peak, and after a rest. */
  residentMb: { before: Resident; most: Resident; after: Resident };
  passages: number;
}

interface Resident {
  own: number;
  reader: number;
}

export async function measureIngest(db: Database, log: Log, documents: number, pages: number): Promise<IngestReport> {
  await db.query(`insert into account (id, name, rules, calendar, created_at, updated_at)
    values ('evaluation', 'Evaluation', '{}', '{}', now(), now()) on conflict do nothing`);
  const background = createBackground(log);
  const { service, start, stop } = await startKnowledge({
    db,
    clock: systemClock,
    randomBytes,
    background,
    queues: new QueueWatch({ db, clock: systemClock, background }),
    log,
    limits: { bases: 9, documents: 1e5, documentBytes: 1e9, totalBytes: 1e9, contextTokens: 1000, parallelReading: 2 },
    memory: new MemoryBudget({ maxBytes: 2048 * MIB }),
    embedder: { embed: () => Promise.reject(new Error('nothing is embedded here')) },
    fetchAddress: () => Promise.reject(new Error('nothing is fetched here')),
    checkEmbeddingModel: () => undefined,
  });
  await start();
  const base = await service.createBase(REACH, { name: 'Ingest', embeddingModel: null });
  const add = async (name: string, content: Buffer) => {
    const input = { name, mediaType: null, source: 'upload' as const, content, url: null };
    return (await service.addDocument(REACH, base.id, input)).document.id;
  };
  const untilReady = async (id: string) => {
    for (;;) {
      const { state, passages } = await service.getDocument(REACH, base.id, id);
      if (state === 'failed') throw new Error(`${id} was not read`);
      if (state === 'ready') return passages;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  };
  const shortCpuMs = await measureShort(documents, add, untilReady);
  const report = { database: db.kind, shortDocuments: documents, shortCpuMs, pages };
  const measured = await measurePdf(pages, add, untilReady);
  stop();
  await background.drain(2_000);
  return { ...report, ...measured };
}

type Add = (name: string, content: Buffer) => Promise<string>;
/** Resolves to the number of its passages. */
type UntilReady = (id: string) => Promise<number>;

async function measureShort(documents: number, add: Add, untilReady: UntilReady): Promise<number[]> {
  const sentences = sentencesOf();
  const thirds: number[] = [];
  for (let third = 0; third < 3; third++) {
    const before = process.cpuUsage();
    let last = '';
    for (let at = 0; at < documents / 3; at++) {
      const number = third * 1_000_000 + at;
      const text = Array.from(
        { length: SENTENCES },
        (_, part) => sentences[(number * 7 + part * 13) % sentences.length],
      );
      last = await add(`${number}.txt`, Buffer.from(`${number}. ${text.join(' ')}`));
    }
    // They are read in their order.
    await untilReady(last);
    const { user, system } = process.cpuUsage(before);
    thirds.push(Math.round((user + system) / (documents / 3) / 100) / 10);
  }
  return thirds;
}

function sentencesOf(): string[] {
  const [root = '.'] = process.argv.slice(2);
  return [...readPairs('persian', root), ...readPairs('english', root)].map(({ passage }) => passage);
}

async function measurePdf(pages: number, add: Add, untilReady: UntilReady) {
  const sentences = readPairs('english', process.argv[2] ?? '.').map(({ passage }) => passage);
  const lines = (page: number) =>
    Array.from(
      { length: LINES_PER_PAGE },
      (_, at) => `${page}.${at} ${sentences[(page * 11 + at * 3) % sentences.length]}`,
    );
  const pdf = writePdf(Array.from({ length: pages }, (_, page) => lines(page)));
  const before = residentMb();
  let most = before;
  let childTicks = 0;
  const watch = setInterval(() => {
    const now = residentMb();
    most = { own: Math.max(most.own, now.own), reader: Math.max(most.reader, now.reader) };
    childTicks = Math.max(childTicks, ticksOfChildren());
  }, 50);
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  const passages = await untilReady(await add('long.pdf', pdf));
  const pdfSeconds = Math.round(performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(watch);
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  return {
    pdfMb: Math.round((pdf.length / MIB) * 10) / 10,
    pdfSeconds,
    pdfCpuSeconds: Math.round((user + system) / 1e4 + childTicks) / 100,
    residentMb: { before, most, after: residentMb() },
    passages,
  };
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    read(`/proc/${pid}/task/${task}/children`)
      .split(' ')
      .filter((child) => child.trim() !== '')
      .map(Number),
  );
}

function residentMb(): Resident {
  const reader = childrenOf(process.pid)
    .map((pid) => Number(/VmRSS:\s{0,20}(\d{1,12})/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0))
    .reduce((sum, each) => sum + each, 0);
  return { own: Math.round(process.memoryUsage().rss / MIB), reader: Math.round(reader / 1024) };
}

/** Hundredths of a second. */
function ticksOfChildren(): number {
  return childrenOf(process.pid)
    .map((pid) => read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [])
    .reduce((sum, fields) => sum + Number(fields[11] ?? 0) + Number(fields[12] ?? 0), 0);
}

/** A process may end between two looks. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
