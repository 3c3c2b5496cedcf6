/** The environment of a command that needs no server. */
export interface OfflineWorld {
  variables: NodeJS.ProcessEnv;
  print(text: string): void;
  /** Writes a line for people to standard error, so that standard output holds only the answer. */
  complain(text: string): void;
}
