/**
 * The frame before anything runs: the same navigation and bar without their acts, and the skeleton of a page. The build renders it
 * into the page (see prerender.tsx), and the browser shows it again while it does not know yet who is in.
 */
import type { ReactNode } from 'react';
import { Icon } from '../parts/icon.tsx';
import { Bar, Skeleton } from '../parts/skeleton.tsx';
import type { NavLink } from './nav-link.ts';
import { useShellTexts } from './texts.ts';

export function StillFrame({
  home,
  groups,
  brand,
}: {
  home: string;
  groups: readonly (readonly NavLink[])[];
  /** Its mark and its name. */
  brand: ReactNode;
}) {
  const texts = useShellTexts();
  return (
    <div className="app" data-area="customer">
      <nav className="nav" aria-label={texts.menu}>
        <div className="nav-in">
          <a className="brand" href={home}>
            {brand}
          </a>
          <span className="account-switch" aria-hidden="true">
            <span className="face" />
            <span className="who">
              <Bar width={0} />
            </span>
          </span>
          {groups.map((group, index) => (
            <ul key={group[0]?.to ?? index} className={index > 0 ? 'ruled' : undefined}>
              {group.map((link) => (
                <li key={link.to}>
                  <a href={link.to}>
                    <Icon name={link.icon} />
                    {link.name}
                  </a>
                </li>
              ))}
            </ul>
          ))}
        </div>
      </nav>
      <div className="stage">
        <header className="bar">
          <span className="btn icon menu" aria-hidden="true">
            <Icon name="menu" />
          </span>
          <a className="brand" href={home}>
            {brand}
          </a>
          <span className="search" aria-hidden="true">
            <Icon name="search" />
            <span>{texts.search}</span>
          </span>
        </header>
        <main id="main">
          <Skeleton shape="page" />
        </main>
      </div>
    </div>
  );
}
