/**
 * A thread with an embedded database that is used for many tests, one after the other. Opening an engine costs more than most tests
 * take; giving one back the memory and the files it had when it was new costs a tenth of that.
 *
 * The engine is opened on a copy of the template, reads every table's description into its caches, and is then frozen: its memory, its
 * open files and their places are kept. To thaw it is to write them back, whatever happened in between.
 */
import { closeSync, copyFileSync, lstatSync, mkdirSync, openSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { PGlite } from '@electric-sql/pglite';
import { openEngine } from '../../src/platform/db/embedded-engine.ts';
import { copyFiles } from '../../src/platform/db/embedded-template.ts';
import type { ReusedOrder, ReusedReport, ReusedRequest } from './reused-database.ts';

/** What is used of the file system inside the engine (Emscripten's). `nfd` is the descriptor of a file on the disk. */
interface OpenFile {
  path: string;
  fd: number | null;
  nfd?: number;
  flags: number;
  position: number;
}
interface FileNode {
  mount: Mount;
  name_next?: FileNode;
}
interface Mount {
  mountpoint: string;
  root: FileNode;
  mounts: Mount[];
}
interface EngineFiles {
  streams: (OpenFile | null)[];
  nameTable: (FileNode | undefined)[];
  root: FileNode;
  getMounts(mount: Mount): Mount[];
  hashRemoveNode(node: FileNode): void;
}

interface Frozen {
  memory: Page[];
  files: { at: number; file: OpenFile; flags: number; position: number }[];
}

interface Page {
  at: number;
  bytes: Uint8Array;
}

const PAGE = 1 << 16;
const NOTHING = Buffer.alloc(PAGE);
const DATA = '/pglite/data';
/** Files that a test has written have another time. */
const UNTOUCHED = new Date(1_000_000_000_000);

const { template, home, engine } = workerData as ReusedOrder;
const original = join(home, 'frozen');
const folder = join(home, 'database');

function report(message: ReusedReport): void {
  parentPort?.postMessage(message);
}

async function serve(): Promise<void> {
  mkdirSync(home, { recursive: true });
  copyFiles(template, folder);
  const db = await openEngine(folder, engine);
  await readDescriptions(db);
  const frozen = freeze(db);
  copyFiles(folder, original);
  markUntouched(folder);
  let isFresh = true;
  let current: MessagePort | undefined;
  // One statement after the other, whoever asks: the engine has one session.
  let working: Promise<void> = Promise.resolve();
  const next = (work: () => Promise<void> | void) => {
    working = working.then(work).catch(endThread);
  };
  parentPort?.on('message', (request: ReusedRequest) => {
    if (request.kind === 'connect') {
      current?.close();
      const { port } = request;
      current = port;
      next(() => forgetTransaction(db));
      port.on('message', (message: Uint8Array) => next(() => execute(db, message, port)));
      return;
    }
    if (request.kind === 'release') {
      next(async () => {
        current?.close();
        await forgetTransaction(db);
        if (request.keepIn !== undefined) {
          await db.exec('checkpoint');
          rmSync(request.keepIn, { recursive: true, force: true });
          copyFiles(folder, request.keepIn);
        }
        isFresh = false;
        report({ kind: 'released' });
      });
      return;
    }
    next(() => {
      if (!isFresh) thaw(db, frozen);
      report({ kind: 'ready' });
    });
  });
  report({ kind: 'opened' });
}

/** Whatever a new session reads first: the catalogs of every table and index, and the extensions. */
async function readDescriptions(db: PGlite): Promise<void> {
  const tables = await db.query<{ name: string }>(
    "select oid::regclass::text as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace",
  );
  for (const { name } of tables.rows) await db.exec(`explain select * from ${name}`);
  // Libraries cannot be loaded after the engine is frozen: its memory would no longer know of them, its code would.
  await db.exec(`select '[1,2]'::vector <-> '[2,3]'::vector; select similarity('ab', 'ac'); do $$ begin end $$`);
  await db.exec(`select to_tsvector('english', 'libraries')`);
  await db.exec('discard all');
  await db.exec('checkpoint');
}

function freeze(db: PGlite): Frozen {
  const memory: Uint8Array = db.Module.HEAPU8;
  const pages: Page[] = [];
  for (let at = 0; at < memory.length; at += PAGE) {
    const bytes = memory.subarray(at, at + PAGE);
    if (NOTHING.compare(bytes) !== 0) pages.push({ at, bytes: bytes.slice() });
  }
  const files = filesOf(db).streams.flatMap((file, at) =>
    file?.nfd === undefined ? [] : [{ at, file, flags: file.flags, position: file.position }],
  );
  return { memory: pages, files };
}

function thaw(db: PGlite, frozen: Frozen): void {
  const files = filesOf(db);
  for (const [at, file] of files.streams.entries()) {
    if (file?.nfd === undefined) continue;
    closeSync(file.nfd);
    files.streams[at] = null;
  }
  forgetNames(files);
  bringBack('');
  for (const { at, file, flags, position } of frozen.files) {
    const nfd = openSync(join(folder, file.path.slice(DATA.length)), 'r+');
    files.streams[at] = Object.assign(file, { fd: at, nfd, flags, position });
  }
  const memory = db.Module.HEAPU8;
  const written = new Map(frozen.memory.map(({ at, bytes }) => [at, bytes]));
  for (let at = 0; at < memory.length; at += PAGE) {
    const bytes = written.get(at);
    if (bytes) memory.set(bytes, at);
    else clear(memory.subarray(at, at + PAGE));
  }
}

/** Most of the engine's memory was never written, and to write it would cost twice as much as to look. */
function clear(page: Uint8Array): void {
  if (NOTHING.compare(page) !== 0) page.fill(0);
}

/** Names of files that the engine remembers, also of those that are gone now. */
function forgetNames(files: EngineFiles): void {
  const mount = files.getMounts(files.root.mount).find(({ mountpoint }) => mountpoint === DATA);
  for (const first of files.nameTable)
    for (let node: FileNode | undefined = first; node; ) {
      const following: FileNode | undefined = node.name_next;
      if (node.mount === mount && node !== mount.root) files.hashRemoveNode(node);
      node = following;
    }
}

/** Replaces what was written, adds what is missing and removes what is new. */
function bringBack(inside: string): void {
  const [mine, frozen] = [join(folder, inside), join(original, inside)];
  const wanted = new Map(readdirSync(frozen, { withFileTypes: true }).map((entry) => [entry.name, entry]));
  for (const entry of readdirSync(mine, { withFileTypes: true }))
    if (!wanted.has(entry.name)) rmSync(join(mine, entry.name), { recursive: true });
  for (const [name, entry] of wanted) {
    const path = join(mine, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (entry.isDirectory()) {
      if (!found) mkdirSync(path);
      bringBack(join(inside, name));
    } else if (found?.mtimeMs !== UNTOUCHED.getTime()) {
      copyFileSync(join(frozen, name), path);
      utimesSync(path, UNTOUCHED, UNTOUCHED);
    }
  }
}

function markUntouched(inside: string): void {
  for (const entry of readdirSync(inside, { withFileTypes: true, recursive: true }))
    if (!entry.isDirectory()) utimesSync(join(entry.parentPath, entry.name), UNTOUCHED, UNTOUCHED);
}

function filesOf(db: PGlite): EngineFiles {
  return db.Module.FS as unknown as EngineFiles;
}

async function execute(db: PGlite, message: Uint8Array, port: MessagePort): Promise<void> {
  await db.execProtocolRawStream(message, {
    onRawData: (view) => {
      // The engine uses its memory again as soon as this returns.
      const answer = view.slice();
      port.postMessage(answer, [answer.buffer]);
    },
  });
}

async function forgetTransaction(db: PGlite): Promise<void> {
  if (db.isInTransaction()) await db.exec('rollback');
}

function endThread(error: unknown): void {
  report({ kind: 'failed', message: error instanceof Error ? String(error.stack) : String(error) });
  process.exit(1);
}

serve().catch(endThread);
