/**
 * A new master key without a pause. Every replica first learns to open with the new key, then seals with it, then everything
 * is sealed anew, and only then is the former key forgotten; whoever starts in between reads the keys as they are just then.
 *
 * A key from the environment is the operator's: `NEW,OLD` is set there by hand, and only the sealing anew happens here.
 */
import type { Database } from './db/index.ts';
import { type Resealed, resealAll } from './reseal.ts';
import { keepMasterKey, localMasterKey, newMasterKey, type SecretBox } from './secrets.ts';
import { readSharedMasterKey, writeSharedMasterKey } from './shared-master-key.ts';

export interface RotationOptions {
  db: Database;
  secrets: SecretBox;
  dataDir: string;
  /** Where the key in use comes from. */
  source: 'environment' | 'file' | 'database';
  /** Called after this process has switched to other keys. */
  onAdopted(): void;
  /** Long enough for every replica to receive the message. */
  pause(): Promise<void>;
}

export interface Rotation extends Resealed {
  source: RotationOptions['source'];
}

const TOPIC = 'master_key';

export interface MasterKeys {
  rotate(): Promise<Rotation>;
  close(): void;
}

export function createMasterKeys(options: RotationOptions): MasterKeys {
  const { db, secrets, dataDir, source, onAdopted } = options;
  const adopt = async (keys: string) => {
    secrets.adopt(keys);
    await keepMasterKey(dataDir, keys);
    onAdopted();
  };
  const reread = async () => adopt(await readSharedMasterKey(db));
  const unsubscribe =
    source === 'database'
      ? db.subscribe(
          TOPIC,
          () => void reread().catch(() => undefined),
          () => void reread().catch(() => undefined),
        )
      : () => undefined;
  const announce = async (keys: string) => {
    if (source === 'database')
      await db.transaction(async (tx) => {
        await writeSharedMasterKey(tx, keys);
        await db.publish(tx, TOPIC, '');
      });
    await adopt(keys);
    if (source === 'database') await options.pause();
  };
  const rotate = async (): Promise<Rotation> => {
    if (source === 'environment') return { source, ...(await resealAll(db, secrets)) };
    const stored = source === 'database' ? await readSharedMasterKey(db) : await localMasterKey(dataDir);
    const former = stored.trim().split(/\s+/).join('\n');
    const next = newMasterKey();
    await announce(`${former}\n${next}`);
    await announce(`${next}\n${former}`);
    const resealed = await resealAll(db, secrets);
    await announce(next);
    return { source, ...resealed };
  };
  // Only one rotation runs at a time; two would overwrite each other's key.
  let running: Promise<Rotation> | undefined;
  return {
    rotate() {
      running ??= rotate().finally(() => {
        running = undefined;
      });
      return running;
    },
    close: unsubscribe,
  };
}
