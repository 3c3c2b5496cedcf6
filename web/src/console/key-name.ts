/** A key as people call it: the one of the playground has no name of theirs, so it is called after its page. */
import { useConsoleWords } from './words.ts';

export function useShownKeyName(): (key: { name: string; playground: boolean }) => string {
  const words = useConsoleWords();
  return ({ name, playground }) => (playground ? words.playground : name);
}
