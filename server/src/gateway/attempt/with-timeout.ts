/** The result of `work`, or 'slow' when it takes longer than `timeoutMs`; the work itself goes on. */
export function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T | 'slow'> {
  // Every stream waits here, and Promise.race would allocate four more promises for each.
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve('slow'), timeoutMs);
    work.then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
