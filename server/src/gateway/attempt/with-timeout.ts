/** The result of `work`, or 'slow' when it takes longer than `timeoutMs`; the work itself goes on. */
export async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T | 'slow'> {
  let timer: NodeJS.Timeout | undefined;
  const slow = new Promise<'slow'>((resolve) => {
    timer = setTimeout(() => resolve('slow'), timeoutMs);
  });
  try {
    return await Promise.race([work, slow]);
  } finally {
    clearTimeout(timer);
  }
}
