/** A connection that stays: server-sent events, begun again by itself whenever it ends, is refused or falls silent. */

export interface Following {
  /** The connection is open again: whatever happened meanwhile was missed. */
  missed(): void;
  connected(is: boolean): void;
  /** The server refuses us, for now or for good. */
  refused(): void;
  on: Readonly<Record<string, (data: unknown) => void>>;
}

/** The server sends a heartbeat every 15 seconds. */
export const SILENCE_MS = 45_000;
const FIRST_WAIT_MS = 3_000;
const MAX_WAIT_MS = 60_000;

/** `wasDown`: something may already have been missed. Returns a function that stops it. */
export function follow(address: string, { missed, connected, refused, on }: Following, wasDown = false): () => void {
  let source: EventSource | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let waitMs = FIRST_WAIT_MS;
  let hasMissed = wasDown;

  const down = () => {
    hasMissed = true;
    connected(false);
  };
  const close = () => {
    source?.close();
    clearTimeout(silence);
    clearTimeout(waiting);
    waiting = undefined;
  };
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(() => {
      down();
      open();
    }, SILENCE_MS);
  };
  const open = () => {
    close();
    const opened = new EventSource(address);
    source = opened;
    opened.onopen = () => {
      waitMs = FIRST_WAIT_MS;
      connected(true);
      heard();
      if (hasMissed) missed();
      hasMissed = false;
    };
    opened.onerror = () => {
      down();
      // The browser goes on trying by itself, but not where the server refused.
      if (opened.readyState !== EventSource.CLOSED) return;
      waiting ??= setTimeout(open, waitMs);
      waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
      refused();
    };
    opened.addEventListener('beat', heard);
    for (const [name, act] of Object.entries(on))
      opened.addEventListener(name, (event: MessageEvent<string>) => {
        heard();
        act(JSON.parse(event.data));
      });
  };
  const backOnline = () => {
    if (waiting !== undefined) open();
  };
  addEventListener('online', backOnline);
  open();
  return () => {
    removeEventListener('online', backOnline);
    close();
    connected(false);
  };
}
