/** Signing in and security for whoever sees nothing else yet: a person without an account, staff whose second factor is missing. */
import { Note, PageHead } from '../parts/page-frame.tsx';
import { useMe } from '../session.tsx';
import { Shell } from '../shell/shell.tsx';
import { PersonMenu } from './people.tsx';
import { Security } from './settings/security.tsx';
import { useTexts } from './settings/texts.ts';

export default function SecurityOnly({ area }: { area: 'customer' | 'operator' }) {
  const texts = useTexts();
  const me = useMe();
  return (
    <Shell
      area={area}
      home={area === 'operator' ? '/operator' : '/console'}
      groups={[]}
      person={<PersonMenu />}
      find={() => []}
      banner={me.staff?.second_factor_missing === true && <Note tone="warn">{texts.secondMissing}</Note>}
    >
      <PageHead title={texts.tabs.security} />
      <Security />
    </Shell>
  );
}
