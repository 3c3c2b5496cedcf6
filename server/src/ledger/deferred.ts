/** A promise with its resolve and reject functions. */
export interface Deferred {
  promise: Promise<void>;
  resolve(): void;
  reject(error: Error): void;
}

export function deferred(): Deferred {
  let resolve: () => void = () => {};
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // Waiters get the rejection; without a waiter it must not end the process.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
