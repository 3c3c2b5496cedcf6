/** What a command that needs no server is given. */
export interface OfflineWorld {
  variables: NodeJS.ProcessEnv;
  print(text: string): void;
  /** For people, beside the answer. */
  complain(text: string): void;
}
