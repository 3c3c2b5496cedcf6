/** The dependencies of every step that writes the catalog. */
import type { Clock } from '../../core/clock.ts';
import type { RandomBytes } from '../../core/ids.ts';
import type { Database } from '../../platform/db/index.ts';
import type { SecretBox } from '../../platform/secrets.ts';

export interface SeedTools {
  db: Database;
  secrets: SecretBox;
  clock: Clock;
  randomBytes: RandomBytes;
}
