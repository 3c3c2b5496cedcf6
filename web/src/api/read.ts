/** Reads and changes through the cache: what was changed is read again, and a refusal is shown with its own text. */
import {
  keepPreviousData,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useToast } from '../parts/toast.tsx';
import { useShared } from '../texts/shared.ts';
import { type Address, accountOfCalls, call, type Described, type Input, Refused, type Result } from './call.ts';

interface ReadOptions {
  enabled?: boolean;
  /** Keep showing the last answer while the next one is read (filters, periods). */
  keep?: boolean;
  /** Stays as it is until the live connection tells that it changed. */
  untilTold?: boolean;
}

function keyOf(address: string, input: { params?: unknown; query?: unknown } = {}): readonly unknown[] {
  return [address, accountOfCalls() ?? '', input.params ?? null, input.query ?? null];
}

export function useRead<D extends Described>(
  address: Address<D>,
  input: Omit<Input<D>, 'body' | 'signal'>,
  { enabled = true, keep = false, untilTold = false }: ReadOptions = {},
): UseQueryResult<Result<D>, Error> {
  return useQuery<Result<D>, Error>({
    queryKey: keyOf(address, input),
    queryFn: ({ signal }) => call<D>(address, { ...input, signal } as Input<D>),
    enabled,
    ...(untilTold ? { staleTime: Number.POSITIVE_INFINITY } : {}),
    ...(keep ? { placeholderData: keepPreviousData as never } : {}),
  });
}

interface Page<Row> {
  data: Row[];
  next: string | null;
}
type RowOf<D extends Described> = Result<D> extends { data: (infer Row)[] } ? Row : never;

/** A list by keyset pages: `rows` of all pages read so far, `more()` for the next. */
export function usePages<D extends Described>(
  address: Address<D>,
  input: Omit<Input<D>, 'body' | 'signal'>,
  { enabled = true }: Pick<ReadOptions, 'enabled'> = {},
) {
  const found = useInfiniteQuery({
    queryKey: [...keyOf(address, input), 'pages'],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...(input.query as object | undefined), ...(pageParam === null ? {} : { after: pageParam }) };
      return (await call<D>(address, { ...input, query, signal } as unknown as Input<D>)) as Page<RowOf<D>>;
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page: Page<RowOf<D>>) => page.next,
    enabled,
  });
  const pages = found.data?.pages as (Page<RowOf<D>> & Result<D>)[] | undefined;
  return {
    /** What the first page and the last one say beside their rows. */
    firstPage: pages?.[0] as Result<D> | undefined,
    lastPage: pages?.at(-1) as Result<D> | undefined,
    pages: pages as Result<D>[] | undefined,
    rows: found.data?.pages.flatMap(({ data }) => data),
    /** The first page whole: what stands beside its rows. */
    first: found.data?.pages[0] as Result<D> | undefined,
    more: found.hasNextPage,
    loadingMore: found.isFetchingNextPage,
    onMore: () => void found.fetchNextPage(),
    error: found.error,
    refetch: found.refetch,
  };
}

interface ChangeOptions<R> {
  /** Addresses (without their values) whose reads are stale afterwards. */
  stale?: readonly string[];
  done?(result: R): void;
  /** The caller shows the refusal itself; otherwise it becomes a toast. */
  quiet?: boolean;
}

export function useChange<D extends Described>(
  address: Address<D>,
  { stale = [], done, quiet = false }: ChangeOptions<Result<D>> = {},
): UseMutationResult<Result<D>, Error, Input<D>> {
  const client = useQueryClient();
  const say = useSayRefusal();
  return useMutation<Result<D>, Error, Input<D>>({
    mutationFn: (input) => call<D>(address, input),
    onSuccess(result) {
      forget(client, stale);
      done?.(result);
    },
    onError(error) {
      if (!quiet) say(error);
    },
  });
}

export function forget(client: ReturnType<typeof useQueryClient>, addresses: readonly string[]): void {
  for (const address of addresses) void client.invalidateQueries({ queryKey: [address] });
}

export function useSayRefusal(): (error: unknown) => void {
  const toast = useToast();
  const texts = useShared();
  return (error) => toast({ tone: 'bad', text: error instanceof Refused ? error.message : texts.offline });
}

/** The text for a field that the server named, or nothing. */
export function errorAt(error: Error | null, field: string): string | undefined {
  if (!(error instanceof Refused) || error.param === null) return undefined;
  return error.param === field || error.param.startsWith(`${field}.`) ? error.message : undefined;
}
