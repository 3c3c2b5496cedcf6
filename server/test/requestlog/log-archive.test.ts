import { createDatabaseArchive } from '../../src/requestlog/index.ts';
import { logArchiveSuite } from '../conformance/log-archive.suite.ts';
import { onBothDatabases } from '../services/both-databases.ts';

onBothDatabases((name, open) => {
  logArchiveSuite(name, async () => {
    const { db, close } = await open();
    return { db, archive: createDatabaseArchive(async () => db), close };
  });
});
