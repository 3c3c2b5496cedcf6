/** Numbers as tables. */
const number = (value, digits) => (value === undefined ? '–' : value.toFixed(digits));

export function table(head, rows) {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column].length)));
  const line = (cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd();
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** One row per server of a comparison; ratios are to the first one, the yardstick. */
export function comparisonRows({ workload, concurrency, servers }) {
  const [yardstick] = servers;
  return servers.map(({ name, result }) => [
    workload,
    String(concurrency),
    name,
    number(result.rps, 0),
    number(result.rpsRatio, 2),
    number(result.cpuUs, 0),
    number(result.cpuRatio, 2),
    number(result.p50 - yardstick.result.p50, 2),
    number(result.p99 - yardstick.result.p99, 2),
    number(result.firstP50 - yardstick.result.firstP50, 2),
    number(result.rssMb, 0),
  ]);
}

export const COMPARISON_HEAD = [
  'workload',
  'conc.',
  'server',
  'req/s',
  '×',
  'CPU µs/req',
  '×',
  '+p50 ms',
  '+p99 ms',
  '+first token ms',
  'RSS MB',
];
