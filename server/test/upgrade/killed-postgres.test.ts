import { afterAll, beforeAll, describe } from 'vitest';
import { type PostgresService, postgresMissing, startPostgres } from '../services/postgres.ts';
import { killedStory } from './killed-story.ts';

describe.skipIf(postgresMissing())('on PostgreSQL', () => {
  let service: PostgresService;
  beforeAll(async () => {
    service = await startPostgres();
  });
  afterAll(() => service?.remove());

  killedStory(() => service.createDatabase());
});
