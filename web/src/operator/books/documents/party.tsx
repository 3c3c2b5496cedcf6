/** Whose paper it is, and what kind of paper. */
import { AccountLink } from '../../account-link.tsx';
import { useDocumentTexts } from './texts.ts';

export function useKindName() {
  const texts = useDocumentTexts();
  return (kind: string) => texts.kinds[kind] ?? texts.otherKinds[kind] ?? kind;
}

/** An account by its name; a bank, a provider or a person as it was written. */
export function Party({ party }: { party: string }) {
  return party.startsWith('acc_') ? <AccountLink id={party} /> : <bdi>{party}</bdi>;
}
