/** How the state of a ticket looks, and what is read again when one changes. */
import type { Tone } from '../../parts/pill.tsx';

export const TONES: Record<string, Tone> = { open: 'info', answered: 'ok', closed: 'off' };
export const STALE = ['GET /api/console/tickets', 'GET /api/console/tickets/:id'];
