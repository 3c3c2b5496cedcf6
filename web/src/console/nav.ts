/** The pages of the console, as its navigation lists them. */
import type { NavLink } from '../shell/nav-link.ts';
import { useConsoleTexts } from './texts.ts';

export function useConsoleLinks(): NavLink[][] {
  const texts = useConsoleTexts();
  return [
    [
      { to: '/console', icon: 'home', name: texts.overview },
      { to: '/console/keys', icon: 'key', name: texts.keys },
      { to: '/console/usage', icon: 'chart', name: texts.usage },
      { to: '/console/requests', icon: 'list', name: texts.requests },
      { to: '/console/wallet', icon: 'wallet', name: texts.wallet },
      { to: '/console/knowledge', icon: 'book', name: texts.knowledge },
      { to: '/console/batches', icon: 'layers', name: texts.batches },
      { to: '/console/playground', icon: 'flask', name: texts.playground },
    ],
    [
      { to: '/console/limits', icon: 'gauge', name: texts.limits },
      { to: '/console/alerts', icon: 'bell', name: texts.alerts },
      { to: '/console/members', icon: 'users', name: texts.members },
      { to: '/console/tickets', icon: 'ticket', name: texts.tickets },
      { to: '/console/settings', icon: 'gear', name: texts.settings },
    ],
  ];
}
