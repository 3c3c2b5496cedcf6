/** A key as people call it: the one of the playground has no name of theirs, so it is called after its page. */
import { useConsoleTexts } from './texts.ts';

export function useShownKeyName(): (key: { name: string; playground: boolean }) => string {
  const texts = useConsoleTexts();
  return ({ name, playground }) => (playground ? texts.playground : name);
}
