/** What serves customers was turned on or off: said at once, with the way back. */
import { useToast } from '../parts/toast.tsx';
import { useShared } from '../words/shared.ts';
import { useWords } from './words.ts';

export function useSayTurned(): (id: string, on: boolean, undo: () => void) => void {
  const toast = useToast();
  const words = useWords();
  const { undo: name } = useShared();
  return (id, on, undo) => toast({ text: on ? words.turnedOn(id) : words.turnedOff(id), action: { name, run: undo } });
}
