import { killedStory } from './killed-story.ts';

killedStory(async () => undefined);
