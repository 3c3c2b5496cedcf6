/** Environment variables, as a process receives them. */
export type Variables = Readonly<Record<string, string | undefined>>;
