/** Environment variables, as a process is given them. */
export type Variables = Readonly<Record<string, string | undefined>>;
