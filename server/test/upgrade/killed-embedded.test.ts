/** In each migration it dies on PostgreSQL, where a start takes a tenth of the time; here in each with `npm run test:long`. */
import { amount } from '../harness/long.ts';
import { killedStory } from './killed-story.ts';

killedStory(async () => undefined, amount(5, 1));
