/** The figures of one measured thing: a rate, and the times of single operations. */
export interface Sample {
  /** Operations per second. */
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Contender {
  readonly name: string;
  readonly run: () => Promise<Sample>;
}

export interface Standing extends Sample {
  readonly name: string;
  readonly rounds: number;
}

/**
 * Runs the contenders in turn, A B C A B C …, so that a machine whose speed drifts is equally
 * unfair to all, and returns the median of each figure.
 */
export async function interleave(
  contenders: readonly Contender[],
  rounds: number,
): Promise<Standing[]> {
  const samples = contenders.map((): Sample[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, contender] of contenders.entries()) {
      samples[i]?.push(await contender.run());
    }
  }
  return contenders.map(({ name }, i) => ({
    name,
    rounds,
    rate: median(samples[i]?.map((sample) => sample.rate) ?? []),
    p50Ms: median(samples[i]?.map((sample) => sample.p50Ms) ?? []),
    p99Ms: median(samples[i]?.map((sample) => sample.p99Ms) ?? []),
  }));
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Runs `operation` from `inFlight` callers at once for a while and takes the times. */
export async function hammer(
  inFlight: number,
  durationMs: number,
  operation: (caller: number, turn: number) => Promise<void>,
): Promise<Sample> {
  const times: number[] = [];
  const startedAt = performance.now();
  const endsAt = startedAt + durationMs;
  await Promise.all(
    Array.from({ length: inFlight }, async (_, caller) => {
      for (let turn = 0; performance.now() < endsAt; turn++) {
        const from = performance.now();
        await operation(caller, turn);
        times.push(performance.now() - from);
      }
    }),
  );
  return sampleOf(times, performance.now() - startedAt);
}

export function sampleOf(times: number[], tookMs: number): Sample {
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { rate: (times.length * 1_000) / tookMs, p50Ms: at(0.5), p99Ms: at(0.99) };
}

export interface Row {
  readonly what: string;
  readonly figures: Readonly<Record<string, string>>;
}

export interface Table {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly note?: string;
}

/** Rows of rates as ratios to one of them. */
export function ratioTable(
  title: string,
  standings: readonly Standing[],
  baseline: string,
  note?: string,
): Table {
  const base = standings.find((standing) => standing.name === baseline);
  const rows = standings.map((standing) => ({
    what: standing.name,
    figures: {
      "per second": Math.round(standing.rate).toLocaleString("en-US"),
      "p50 ms": standing.p50Ms.toFixed(2),
      "p99 ms": standing.p99Ms.toFixed(2),
      [`ratio to ${baseline}`]:
        base === undefined ? "not measured" : (standing.rate / base.rate).toFixed(2),
    },
  }));
  return note === undefined ? { title, rows } : { title, rows, note };
}

/** The tables of a stored result, as `renderTable` wrote them. */
export function readTables(text: string): Table[] {
  return text
    .split(/^### /m)
    .slice(1)
    .map((part) => {
      const [title = "", ...lines] = part.split("\n");
      const [head = [], , ...body] = lines.filter((line) => line.startsWith("|")).map(cellsOf);
      const rows = body.map(([what = "", ...cells]) => ({
        what,
        figures: Object.fromEntries(cells.map((cell, i) => [head[i + 1] ?? "", cell])),
      }));
      return { title, rows };
    });
}

function cellsOf(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** Each figure followed by that of an earlier run, where that run has it. */
export function besideEarlier(table: Table, earlier: readonly Table[]): Table {
  const before = earlier.find(({ title }) => title === table.title);
  if (before === undefined) return table;
  const rows = table.rows.map(({ what, figures }) => {
    const old = before.rows.find((row) => row.what === what)?.figures ?? {};
    const pairs = Object.entries(figures).map(([name, value]) => {
      const was = old[name] ?? "";
      return [name, was === "" ? value : `${value} (${was})`];
    });
    return { what, figures: Object.fromEntries(pairs) };
  });
  return { ...table, rows };
}

export function renderTable({ title, rows, note }: Table): string {
  const columns = ["", ...new Set(rows.flatMap((row) => Object.keys(row.figures)))];
  const lines = rows.map((row) => [
    row.what,
    ...columns.slice(1).map((column) => row.figures[column] ?? ""),
  ]);
  const widths = columns.map((column, i) =>
    Math.max(column.length, ...lines.map((line) => line[i]?.length ?? 0)),
  );
  const render = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  const body = [render(columns), rule, ...lines.map(render)].join("\n");
  return `### ${title}\n\n${body}\n${note === undefined ? "" : `\n${note}\n`}`;
}
