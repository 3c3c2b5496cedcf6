/** Holds a behaviour until the test lets it go: a stall without a sleep. */
export interface Gate {
  /** Resolves when a behaviour has come to the gate. */
  reached: Promise<void>;
  open(): void;
  /** Used by behaviours. */
  pass(): Promise<void>;
}

export function createGate(): Gate {
  let arrive: () => void = () => undefined;
  let open: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    reached,
    open: () => open(),
    pass() {
      arrive();
      return opened;
    },
  };
}
