/** The result of `work`, or 'slow' when it takes longer than `patienceMs`; the work itself goes on. */
export async function withPatience<T>(work: Promise<T>, patienceMs: number): Promise<T | 'slow'> {
  let timer: NodeJS.Timeout | undefined;
  const slow = new Promise<'slow'>((resolve) => {
    timer = setTimeout(() => resolve('slow'), patienceMs);
  });
  try {
    return await Promise.race([work, slow]);
  } finally {
    clearTimeout(timer);
  }
}
