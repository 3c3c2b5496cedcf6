/** Commands that work on the database itself and need no server: migrations, and the move to PostgreSQL. */
import { readEnvironment } from '../../config/index.ts';
import { systemClock } from '../../core/clock.ts';
import { migrate, openDatabase } from '../../platform/db/index.ts';
import { createLog } from '../../platform/telemetry/index.ts';
import { type Options, UsageError } from '../arguments.ts';
import { moveToPostgres } from './move.ts';
import type { OfflineWorld } from './world.ts';

export interface OfflineCommand {
  usage: string;
  summary: string;
  run(options: Options, world: OfflineWorld): Promise<number>;
}

const migrateCommand: OfflineCommand = {
  usage: 'migrate',
  summary: 'bring the tables to this version, once, before servers of it start',
  async run(options, { variables, print, complain }) {
    options.refuseUnread();
    const { environment } = readEnvironment(variables);
    const { log } = createLog({ level: 'silent' });
    const { databaseUrl, dataDir } = environment;
    const db = await openDatabase({ databaseUrl, dataDir, log, clock: systemClock, progress: complain });
    try {
      const applied = await migrate(db);
      print(applied.length === 0 ? 'the tables are of this version already' : `applied: ${applied.join(', ')}`);
      return 0;
    } finally {
      await db.close();
    }
  },
};

const moveCommand: OfflineCommand = {
  usage: 'move --to postgres://…',
  summary:
    'copy the embedded database into an empty PostgreSQL and prove the books on both sides; the server is stopped',
  async run(options, world) {
    const target = options.need('to');
    options.refuseUnread();
    if (!/^postgres(ql)?:\/\//.test(target)) throw new UsageError('--to must begin with postgres://');
    return moveToPostgres(target, world);
  },
};

export const OFFLINE: Record<string, OfflineCommand> = { migrate: migrateCommand, move: moveCommand };
