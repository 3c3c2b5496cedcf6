/** A base of many passages with words as unevenly common as in real texts, and the time its searches take. */
import { readFileSync } from 'node:fs';
import type { Search } from '../../server/src/knowledge/retrieve/search.ts';
import { insertDrafts, publishDrafts } from '../../server/src/knowledge/store/passage-rows.ts';
import { type Database, tendTables } from '../../server/src/platform/db/index.ts';

/** Few at first: many small documents are what keeps an index busy. */
const MAX_PASSAGES_PER_DOCUMENT = 1_000;
const MIN_DOCUMENTS = 200;
const WORDS_PER_PASSAGE = 80;
const VOCABULARY = 60_000;
const SEARCHES = 200;

export interface ScaleReport {
  passages: number;
  database: string;
  fillingSeconds: number;
  searches: number;
  p50Ms: number;
  p95Ms: number;
  maxMs: number;
  /** Passages of the other base. */
  beside: number;
  /** Per search, of this process: with the embedded database, all of it. */
  cpuMs: number;
  /** Per search, of the server's processes that worked for us; absent for the embedded database. */
  serverCpuMs?: number;
  /** How often the passage the words were taken from stood first. */
  foundFirst: number;
  residentMb: number;
}

/** Fills a base, `scale` unless another is named; returns some of its texts. */
export async function fillScale(db: Database, passages: number, base = 'scale'): Promise<string[]> {
  const random = seeded(base === 'scale' ? 7 : 13);
  const words = Array.from({ length: VOCABULARY }, (_, at) => wordOf(at, random));
  const texts: string[] = [];
  await prepare(db, base);
  const perDocument = Math.min(MAX_PASSAGES_PER_DOCUMENT, Math.ceil(passages / MIN_DOCUMENTS));
  for (let start = 0; start < passages; start += perDocument) {
    const batch = Array.from({ length: perDocument }, () => textOf(words, random));
    if (texts.length < SEARCHES) texts.push(...batch.slice(0, 4));
    await addDocument(db, base, `${base}-${start}`, batch);
  }
  return texts;
}

export async function measureScale(
  db: Database,
  search: Search,
  passages: number,
  beside: number,
): Promise<ScaleReport> {
  const random = seeded(11);
  const beganFilling = performance.now();
  const texts = await fillScale(db, passages);
  const fillingMs = performance.now() - beganFilling;
  if (beside > 0) await fillScale(db, beside, 'beside');
  // A server does this by itself, soon; for the embedded database the ingester does it.
  if (db.kind === 'postgres') await db.query('analyze');
  else await tendTables(db);
  const times: number[] = [];
  // Engines warm up: what is measured is a process that has searched before.
  for (const text of texts.slice(0, 50))
    await search({ baseIds: ['scale'], question: text.split(' ').slice(0, 7).join(' '), limit: 10 });
  const serverBefore = await serverCpuMs(db);
  const cpuBefore = process.cpuUsage();
  let first = 0;
  for (let at = 0; at < SEARCHES; at++) {
    const text = texts[at % texts.length] as string;
    const own = text.split(' ');
    const question = Array.from({ length: 7 }, () => own[Math.floor(random() * own.length)]).join(' ');
    const began = performance.now();
    const [best] = await search({ baseIds: ['scale'], question, limit: 10 });
    times.push(performance.now() - began);
    if (best?.text === text) first++;
  }
  const cpu = process.cpuUsage(cpuBefore);
  const serverAfter = await serverCpuMs(db);
  times.sort((a, b) => a - b);
  const share = (part: number) =>
    Number((times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0).toFixed(1));
  const residentMb = Math.round(process.memoryUsage().rss / 1_048_576);
  return {
    passages,
    beside,
    database: db.kind,
    fillingSeconds: Math.round(fillingMs / 100) / 10,
    searches: SEARCHES,
    p50Ms: share(0.5),
    p95Ms: share(0.95),
    maxMs: share(1),
    cpuMs: Math.round((cpu.user + cpu.system) / SEARCHES / 10) / 100,
    ...(serverBefore !== undefined &&
      serverAfter !== undefined && { serverCpuMs: Math.round(((serverAfter - serverBefore) / SEARCHES) * 100) / 100 }),
    foundFirst: first / SEARCHES,
    residentMb,
  };
}

/** A tick of the kernel's count of processor time. */
const TICK_MS = 10;

/** What the server's processes of this database have used so far; the server must run on this machine. */
async function serverCpuMs(db: Database): Promise<number | undefined> {
  if (db.kind !== 'postgres') return undefined;
  const rows = await db.query<{ pid: number }>('select pid from pg_stat_activity where datname = current_database()');
  let ticks = 0;
  for (const { pid } of rows) {
    // The name in brackets may hold blanks; the times are the 14th and 15th field.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * TICK_MS;
}

async function prepare(db: Database, base: string): Promise<void> {
  await db.query(`insert into account (id, name, rules, calendar, created_at, updated_at)
    values ('evaluation', 'Evaluation', '{}', '{}', now(), now()) on conflict do nothing`);
  await db.query(
    `insert into knowledge_base (id, account_id, name, created_at, updated_at) values ($1, 'evaluation', $1, now(), now())`,
    [base],
  );
}

async function addDocument(db: Database, base: string, id: string, texts: readonly string[]): Promise<void> {
  await db.query(
    `insert into knowledge_document (id, base_id, name, source, bytes, state, created_at, updated_at)
     values ($1, $2, $1, 'text', 0, 'queued', now(), now())`,
    [id, base],
  );
  const job = {
    documentId: id,
    baseId: base,
    accountId: 'evaluation',
    embeddingModel: null,
    name: '',
    url: null,
    mediaType: null,
    bytes: 0,
    revision: 1,
    drafted: false,
    attempts: 1,
  };
  await db.transaction(async (tx) => {
    await insertDrafts(
      tx,
      job,
      texts.map((text) => ({ text, tokens: WORDS_PER_PASSAGE })),
    );
    await publishDrafts(tx, job);
  });
}

/** Zipf: the second word is half as common as the first, the third a third. */
function textOf(words: readonly string[], random: () => number): string {
  return Array.from(
    { length: WORDS_PER_PASSAGE },
    () => words[Math.floor(words.length ** random()) - 1] ?? words[0],
  ).join(' ');
}

const LETTERS = ['ابپتجچحخدرزسشصعفقکگلمنوهی', 'abcdefghijklmnoprstuvw'];

function wordOf(at: number, random: () => number): string {
  const letters = LETTERS[at % 2] as string;
  const length = 4 + Math.floor(random() * 5);
  return Array.from({ length }, () => letters[Math.floor(random() * letters.length)]).join('');
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}
