/** The frame of the console and of the operator's side: navigation, bar, palette. On a phone the navigation is a popover. */
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Link, useLocation } from 'wouter';
import { BrandMark, useBrandName } from '../brand.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { Note } from '../parts/page-frame.tsx';
import { Boundary } from '../parts/trouble.tsx';
import { usePreferences } from '../preferences.tsx';
import type { NavLink } from './nav-link.ts';
import { Palette, type PaletteEntry } from './palette.tsx';
import { paletteKeys, ShortcutsDialog, useShortcuts } from './shortcuts.tsx';
import { useShellTexts } from './texts.ts';

export interface ShellProps {
  area: 'customer' | 'operator';
  home: string;
  groups: readonly (readonly NavLink[])[];
  /** Under the brand: the account switcher. */
  switcher?: ReactNode;
  /** In the bar: the wallet, or the state of the books. */
  purse?: ReactNode;
  /** The person's own menu. */
  person: ReactNode;
  foot?: ReactNode;
  /** What else the palette can find for what is typed. */
  find(typed: string): readonly PaletteEntry[];
  /** Above every page: an announcement, "you are viewing as". */
  banner?: ReactNode;
  children: ReactNode;
}

export function Shell(props: ShellProps) {
  const { area, home, groups, children } = props;
  const texts = useShellTexts();
  const brand = useBrandName();
  const [path] = useLocation();
  const [open, setOpen] = useState(false);
  const nav = useRef<HTMLElement>(null);
  const [help, setHelp] = useState(false);
  useShortcuts(
    area,
    home,
    () => setOpen(true),
    () => setHelp(true),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the phone's navigation closes whenever the page changes.
  useEffect(() => {
    if (nav.current?.matches(':popover-open')) nav.current.hidePopover();
  }, [path]);
  // A receipt or a ticket opens beside its list, which stays where it was read.
  const place = path.replace(/^(\/\w+\/(?:requests|tickets))\/.*/, '$1');
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is read from its beginning.
  useEffect(() => {
    document.getElementById('main')?.scrollTo?.(0, 0);
    scrollTo(0, 0);
  }, [place]);
  const pages = groups.flat();
  const current = currentOf(groups, path, home);
  return (
    <div className="app" data-area={area}>
      <a className="skip" href="#main">
        {texts.skip}
      </a>
      <nav
        ref={nav}
        className={area === 'operator' ? 'nav on-ink' : 'nav'}
        id="nav"
        popover="auto"
        aria-label={texts.menu}
      >
        <div className="nav-in">
          <Link className="brand" href={home}>
            <BrandMark />
            {brand}
            {area === 'operator' && <span className="area">{texts.operatorArea}</span>}
          </Link>
          {props.switcher}
          {groups.map((group, index) => (
            <ul key={group[0]?.to ?? index} className={index > 0 ? 'ruled' : undefined}>
              {group.map((link) => (
                <li key={link.to}>
                  <Link href={link.to} aria-current={link.to === current ? 'page' : undefined}>
                    <Icon name={link.icon} />
                    {link.name}
                    {link.count !== undefined && <span className="count">{link.count}</span>}
                  </Link>
                </li>
              ))}
            </ul>
          ))}
          <div className="nav-foot">{props.foot}</div>
        </div>
      </nav>
      <div className="stage">
        <header className="bar">
          <button className="btn icon menu" type="button" popoverTarget="nav" aria-label={texts.menu}>
            <Icon name="menu" />
          </button>
          <Link className="brand" href={home}>
            <BrandMark />
            {brand}
          </Link>
          <button className="search" type="button" onClick={() => setOpen(true)}>
            <Icon name="search" />
            <span>{area === 'operator' ? texts.searchOperator : texts.search}</span>
            <kbd dir="ltr">{paletteKeys()}</kbd>
          </button>
          <div className="end">
            {props.purse}
            <ThemeMenu />
            <LanguageButton />
            {props.person}
          </div>
        </header>
        <OfflineBanner />
        {props.banner}
        <main id="main" tabIndex={-1} className={path.endsWith('/playground') ? 'desk-page' : undefined}>
          <Boundary place={path}>{children}</Boundary>
        </main>
      </div>
      {help && <ShortcutsDialog area={area} onClose={() => setHelp(false)} />}
      {open && <Palette pages={pages} find={props.find} onClose={() => setOpen(false)} />}
    </div>
  );
}

/** The open page: the entry with the longest matching address. */
function currentOf(groups: readonly (readonly NavLink[])[], path: string, home: string): string | undefined {
  const isOn = (to: string) =>
    to === home ? path === home || path === `${home}/` : path === to || path.startsWith(`${to}/`);
  const open = groups.flatMap((group) => group.map(({ to }) => to)).filter(isOn);
  return open.sort((a, b) => b.length - a.length)[0];
}

export function ThemeMenu() {
  const texts = useShellTexts();
  const { theme, setTheme } = usePreferences();
  const dark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  return (
    <Menu
      label={texts.theme}
      className="btn icon"
      button={<Icon name={dark ? 'moon' : 'sun'} />}
      items={[
        { name: texts.light, icon: 'sun', current: theme === 'light', run: () => setTheme('light') },
        { name: texts.dark, icon: 'moon', current: theme === 'dark', run: () => setTheme('dark') },
        { name: texts.system, icon: 'gear', current: theme === 'system', run: () => setTheme('system') },
      ]}
    />
  );
}

export function LanguageButton() {
  const { language, setLanguage } = usePreferences();
  const other = language === 'fa' ? 'en' : 'fa';
  return (
    <button
      type="button"
      className="btn icon text-icon hs"
      lang={other}
      onClick={() => setLanguage(other)}
      title={other === 'fa' ? 'فارسی' : 'English'}
    >
      {other === 'fa' ? 'فا' : 'EN'}
    </button>
  );
}

function followNetwork(onChange: () => void): () => void {
  addEventListener('online', onChange);
  addEventListener('offline', onChange);
  return () => {
    removeEventListener('online', onChange);
    removeEventListener('offline', onChange);
  };
}

/** Says that the browser has no network, for as long as it has none. */
function OfflineBanner() {
  const texts = useShellTexts();
  const isOnline = useSyncExternalStore(followNetwork, () => navigator.onLine);
  return (
    <div role="status" className="offline">
      {!isOnline && <Note tone="warn">{texts.offline}</Note>}
    </div>
  );
}
