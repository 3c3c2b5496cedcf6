/** The states of a request. All but the first are final. */
export const REQUEST_STATES = ['running', 'completed', 'interrupted', 'client_closed', 'failed', 'refused'] as const;
export type RequestState = (typeof REQUEST_STATES)[number];
