/** Signing in and security for whoever sees nothing else yet: a person without an account, staff whose second factor is missing. */
import { Note, PageHead } from '../parts/page-frame.tsx';
import { useMe } from '../session.tsx';
import { Shell } from '../shell/shell.tsx';
import { PersonMenu } from './people.tsx';
import { Security } from './settings/security.tsx';
import { useWords } from './settings/words.ts';

export default function SecurityOnly({ area }: { area: 'customer' | 'operator' }) {
  const words = useWords();
  const me = useMe();
  return (
    <Shell
      area={area}
      home={area === 'operator' ? '/operator' : '/console'}
      groups={[]}
      person={<PersonMenu />}
      find={() => []}
      banner={me.staff?.second_factor_missing === true && <Note tone="warn">{words.secondMissing}</Note>}
    >
      <PageHead title={words.tabs.security} />
      <Security />
    </Shell>
  );
}
