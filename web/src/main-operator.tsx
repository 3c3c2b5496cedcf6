import OperatorArea from './operator/area.tsx';
import { start } from './start.tsx';

start(OperatorArea);
