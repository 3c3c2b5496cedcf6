/**
 * How much of a document may be unpacked and read. Small files unpack to gigabytes, and all other requests wait
 * meanwhile.
 */
import { promisify } from 'node:util';
import { constants, inflate, inflateRaw } from 'node:zlib';
import { nextTurn } from '../turns.ts';

/** Thrown for a document whose content cannot be known: encrypted, broken, too large or of an unknown kind. */
export class Unknown extends Error {}

/** The most bytes of one document, unpacked. */
const MAX_UNPACKED = 16 * 2 ** 20;
/** The most characters that are read in one turn of the event loop. */
const PER_TURN = 32 * 1024;

const unpackers = { zlib: promisify(inflate), raw: promisify(inflateRaw) };

export class ReadingBudget {
  #left = MAX_UNPACKED;
  #room = 0;

  /** `packed` may reach beyond its end. Unpacking runs on another thread. */
  async unpack(packed: Uint8Array, kind: keyof typeof unpackers): Promise<Buffer> {
    let unpacked: Buffer;
    try {
      unpacked = await unpackers[kind](packed, {
        maxOutputLength: Math.max(1, this.#left),
        // Readers of documents show what they could unpack of a stream that is cut short.
        finishFlush: constants.Z_SYNC_FLUSH,
      });
    } catch {
      throw new Unknown('a stream that is broken or unpacks to too much');
    }
    this.spend(unpacked.length);
    return unpacked;
  }

  /** Counts content that was not packed against the same bound. */
  spend(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw new Unknown('more than is read of a document');
  }

  /** Called before so many characters are read; returns a promise when other requests must be served first. */
  turn(characters: number): Promise<void> | undefined {
    const fits = this.#room >= characters;
    this.#room = (fits ? this.#room : PER_TURN) - characters;
    return fits ? undefined : nextTurn();
  }
}
