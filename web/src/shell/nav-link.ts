import type { ReactNode } from 'react';
import type { IconName } from '../parts/icon.tsx';

export interface NavLink {
  to: string;
  icon: IconName;
  name: string;
  count?: ReactNode;
}
