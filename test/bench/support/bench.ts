/** What a benchmark promises, and what it found. */
export type Bar = {
  readonly what: string;
  readonly value: number;
  readonly bar: number;
  readonly holds: boolean;
};

/** The median of several rounds, and how far they lay apart. */
export type Spread = { readonly median: number; readonly low: number; readonly high: number };

export type Figure = number | string | Spread;

export type Report = {
  readonly bench: string;
  readonly figures: Readonly<Record<string, Figure>>;
  readonly bars: readonly Bar[];
};

/** Numbers given as `--name N` on the command line. */
export type Numbers = Readonly<Record<string, number>>;

export type Bench = {
  readonly about: string;
  /** Options and what they are when left out. */
  readonly options: Numbers;
  run(options: Numbers): Promise<Report>;
};

export function atLeast(what: string, value: number, bar: number): Bar {
  return { what: `${what}, at least`, value: rounded(value), bar, holds: value >= bar };
}

export function atMost(what: string, value: number, bar: number): Bar {
  return { what: `${what}, at most`, value: rounded(value), bar, holds: value <= bar };
}

export function below(what: string, value: number, bar: number): Bar {
  return { what: `${what}, below`, value: rounded(value), bar, holds: value < bar };
}

/** For reading: four digits that count, whole numbers whole. */
export function rounded(value: number): number {
  if (!Number.isFinite(value) || Number.isInteger(value)) return value;
  return Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4));
}

/** Progress: never on stdout, whose last line is the result. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
