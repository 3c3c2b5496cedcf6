/** The dependencies of all watches of accounts. */
import type { Clock } from '../../core/clock.ts';
import type { AccountRules, Calendar, KeyService } from '../../keys/index.ts';
import type { Database } from '../../platform/db/index.ts';
import type { Log } from '../../platform/log.ts';
import type { Notices } from '../notices.ts';

export interface WatchTools {
  db: Database;
  clock: Clock;
  log: Log;
  notices: Notices;
  keys: Pick<KeyService, 'update'>;
}

export interface WatchedAccount {
  accountId: string;
  calendar: Calendar;
  /** The caps that refuse requests, whoever set them. */
  caps: AccountRules['caps'];
}

export interface WatchedKey {
  id: string;
  name: string;
  caps: AccountRules['caps'];
}
