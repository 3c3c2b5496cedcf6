/** The person's own menu, in the bar of both areas. */
import { useLocation } from 'wouter';
import { Menu } from '../parts/menu.tsx';
import { usePreferences } from '../preferences.tsx';
import { useMe, useSignOut } from '../session.tsx';
import { useShellTexts } from './texts.ts';

export function PersonMenu() {
  const texts = useShellTexts();
  const me = useMe();
  const { language, setLanguage } = usePreferences();
  const [, navigate] = useLocation();
  const signOut = useSignOut();
  const operator = location.pathname.startsWith('/operator');
  return (
    <Menu
      label={texts.person}
      className="btn icon"
      button={
        <span className="face" aria-hidden="true">
          {(me.person.name || '•').slice(0, 1)}
        </span>
      }
      header={
        <div className="menu-head">
          <b dir="auto">{me.person.name}</b>
        </div>
      }
      items={[
        operator
          ? { name: texts.security, icon: 'lock', run: () => location.assign('/console/settings/security') }
          : { name: texts.profile, icon: 'gear', run: () => navigate('/console/settings') },
        ...(me.staff !== null && !operator
          ? [{ name: texts.toOperator, icon: 'scale' as const, run: () => location.assign('/operator') }]
          : []),
        ...(operator && me.accounts.length > 0
          ? [{ name: texts.toConsole, icon: 'home' as const, run: () => location.assign('/console') }]
          : []),
        {
          name: <span lang={language === 'fa' ? 'en' : 'fa'}>{language === 'fa' ? 'English' : 'فارسی'}</span>,
          icon: 'globe',
          run: () => setLanguage(language === 'fa' ? 'en' : 'fa'),
        },
        { name: texts.toSite, icon: 'book', run: () => location.assign('/guide') },
        { name: texts.signOut, icon: 'out', run: () => void signOut() },
      ]}
    />
  );
}
