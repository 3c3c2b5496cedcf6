/** Data directories of released versions under today's code. Processes of both, no service. */
import { upgradeStory } from './story.ts';

upgradeStory(async () => undefined);
