/** PostgreSQL databases of released versions under today's code. Processes of both, and a server. */
import { afterAll, beforeAll, describe } from 'vitest';
import { type PostgresService, postgresMissing, startPostgres } from '../services/postgres.ts';
import { upgradeStory } from './story.ts';

describe.skipIf(postgresMissing())('on PostgreSQL', () => {
  let service: PostgresService;
  beforeAll(async () => {
    service = await startPostgres();
  });
  afterAll(() => service?.remove());

  upgradeStory(() => service.createDatabase());
});
