/** What serves customers was turned on or off: said at once, with the way back. */
import { useToast } from '../parts/toast.tsx';
import { useShared } from '../texts/shared.ts';
import { useTexts } from './texts.ts';

export function useSayTurned(): (id: string, on: boolean, undo: () => void) => void {
  const toast = useToast();
  const texts = useTexts();
  const { undo: name } = useShared();
  return (id, on, undo) => toast({ text: on ? texts.turnedOn(id) : texts.turnedOff(id), action: { name, run: undo } });
}
