/**
 * A process in which files are read, one after the other. What a hostile file does to memory happens there. Its size is
 * watched from outside, because nothing inside can count the buffers of a decoder, and beyond the limit it is killed.
 * Between two checks the kernel limits what it may write to (RLIMIT_DATA); the engine's large reservations do not count
 * for that limit, as they would for a limit on addresses. A thread would not do, because its limits cover only
 * JavaScript's own heap.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Text } from '@dargah/core/text.ts';
import { Unreadable } from './blocks.ts';
import type { ReadingOrder, ReadingReport } from './read-document.ts';
import { unreadableReasons } from './reasons.ts';

export interface ProcessLimits {
  readingMs: number;
  memoryMb: number;
}

/** A decoder can fill about 2 GB in a second; checked this often it is caught a tenth of that over its limit. */
const LOOK_EVERY_MS = 50;
/** What the engine and its threads may write to beside what a file needs. */
const OWN_MB = 256;
/** From Node 24 on the engine reserves this much for code when it starts. The kernel counts it, although little of it is used. */
const CODE_MB = Number.parseInt(process.versions.node, 10) >= 24 ? 512 : 0;
const SHELL = '/bin/sh';
/** After so many files a new process is started, because libraries for odd formats leak. */
const FILES_PER_PROCESS = 200;
/** A process that has used more ends with its file, because it would keep that memory uncounted while it is idle. */
const MAX_RESTING_MB = 192;

export class ReadingProcess {
  readonly #child: ChildProcess;
  readonly #limits: ProcessLimits;
  #files = 0;
  #over = false;
  /** The most memory that was seen in use. */
  #peakKb = 0;

  constructor(program: URL, limits: ProcessLimits) {
    this.#limits = limits;
    this.#child = fork(fileURLToPath(program), {
      ...boundByKernel([process.execPath, `--max-old-space-size=${limits.memoryMb}`], limits),
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.once('exit', () => {
      this.#over = true;
    });
    this.#child.on('error', () => this.end());
    this.rest();
  }

  /** True while another file may be given to it. */
  get usable(): boolean {
    return !this.#over && this.#files < FILES_PER_PROCESS && this.#peakKb <= MAX_RESTING_MB * 1024;
  }

  /** An idle process must not keep the server from ending. */
  rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  end(): void {
    this.#over = true;
    this.#child.kill('SIGKILL');
  }

  /** Rejects with Unreadable when the file exceeded a bound; the process has then been killed. */
  read(order: ReadingOrder, signal?: AbortSignal): Promise<ReadingReport> {
    this.#files++;
    const child = this.#child;
    child.ref();
    child.channel?.ref();
    return new Promise((resolve, reject) => {
      let cause: { reason: Text } | undefined;
      const giveUp = (reason: Text) => {
        cause = { reason };
        this.end();
      };
      const timer = setTimeout(() => giveUp(unreadableReasons.tooSlow), this.#limits.readingMs);
      const watch = setInterval(
        () => void this.#tooLarge().then((large) => large && giveUp(unreadableReasons.tooMuchMemory)),
        LOOK_EVERY_MS,
      );
      const stop = () => this.end();
      signal?.addEventListener('abort', stop, { once: true });
      const finish = () => {
        clearTimeout(timer);
        clearInterval(watch);
        signal?.removeEventListener('abort', stop);
        child.off('message', onReport).off('exit', onExit);
      };
      const onReport = async (report: ReadingReport) => {
        // Libraries report a refused allocation as a damaged file or as its end, so the size is checked before a report is
        // believed.
        if (await this.#tooLarge()) giveUp(unreadableReasons.tooMuchMemory);
        if (this.#over) return;
        finish();
        resolve(report);
      };
      const onExit = () => {
        finish();
        // Its own heap was too small for the file, or something killed it from outside; the file is to blame for either.
        reject(signal?.aborted ? signal.reason : new Unreadable(cause?.reason ?? unreadableReasons.tooMuchMemory));
      };
      child.once('message', onReport).once('exit', onExit);
      child.send(order, (error) => error && this.end());
    });
  }

  async #tooLarge(): Promise<boolean> {
    const { pid } = this.#child;
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const most = /^VmHWM:\s{0,20}(\d{1,15}) kB$/m.exec(status)?.[1];
    // Without /proc only the heap's own limit holds.
    if (most === undefined) return false;
    this.#peakKb = Number(most);
    return this.#peakKb > this.#limits.memoryMb * 1024;
  }
}

/**
 * A shell sets the limit and then becomes the program. Without a shell (an image that contains nothing else) only the
 * watch is left.
 */
function boundByKernel([program = '', ...args]: string[], { memoryMb }: ProcessLimits) {
  if (process.platform !== 'linux' || !existsSync(SHELL)) return { execPath: program, execArgv: args };
  const kilobytes = String((memoryMb + OWN_MB + CODE_MB) * 1024);
  return { execPath: SHELL, execArgv: ['-c', 'ulimit -d "$0" 2>/dev/null; exec "$@"', kilobytes, program, ...args] };
}
