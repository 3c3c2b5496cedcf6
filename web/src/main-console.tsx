import ConsoleArea from './console/area.tsx';
import { start } from './start.tsx';

start(ConsoleArea);
