/** Charges that the database can never take: their lines are kept in a file of the journal's folder, for the operator. */
import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeRecord, type RequestRecord } from '../requestlog/index.ts';
import { readLines } from './journal-lines.ts';

/** An operator who has dealt with a charge removes its line, or the whole file. */
const FILE_NAME = 'rejected.lines';

export class SetAsideCharges {
  readonly #file: string;
  #count = 0;

  constructor(journalFolder: string) {
    this.#file = join(journalFolder, FILE_NAME);
  }

  /** Of this process and of earlier ones. */
  get count(): number {
    return this.#count;
  }

  /** Finds what earlier processes have set aside. */
  async recount(): Promise<void> {
    this.#count = readLines(await this.#read()).lines.length;
  }

  add(line: Buffer): void {
    appendFileSync(this.#file, line, { mode: 0o600 });
    this.#count++;
  }

  async records(): Promise<RequestRecord[]> {
    return readLines(await this.#read()).lines.flatMap(({ body }) => decodeRecord(body) ?? []);
  }

  #read(): Promise<Buffer> {
    return readFile(this.#file).catch(() => Buffer.alloc(0));
  }
}
