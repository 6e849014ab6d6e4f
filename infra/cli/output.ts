import { createInterface } from 'node:readline/promises';
import { text as allOf } from 'node:stream/consumers';
import { stripVTControlCharacters, styleText } from 'node:util';
import type { Environment } from '#shared/runtime/config.ts';

/** What a verb is given of the process that it runs in. */
export type World = {
  readonly terminal: Terminal;
  readonly environment: Environment;
  /** The answer was no, or it failed; with 2 where there is none. */
  fail(exit?: 1 | 2): void;
};

/** Where a verb reads and writes; tests hand in their own. */
export type Terminal = {
  print(text: string): void;
  complain(text: string): void;
  /** Standard input, to its end. */
  read(): Promise<string>;
  paint(style: Style, text: string): string;
  /** A question to whoever sits there; left out where nobody does. */
  ask?: ((question: string) => Promise<string>) | undefined;
  /** A line that the next one takes the place of, the empty one too; left out where nobody watches. */
  progress?: ((line: string) => void) | undefined;
  /** Whether more is printed than is read. */
  isBehind?: (() => boolean) | undefined;
};

export type Style = 'red' | 'green' | 'yellow' | 'cyan' | 'bold' | 'dim';

export type OutputFormat = 'text' | 'json';

export function processTerminal(colour: boolean | undefined): Terminal {
  // What is painted goes by standard output, and complaints may go elsewhere.
  const mayColour =
    (colour ?? process.stderr.isTTY) ? (text: string) => text : stripVTControlCharacters;
  return {
    print: (text) => process.stdout.write(text),
    complain: (text) => process.stderr.write(mayColour(text)),
    read: () => allOf(process.stdin),
    paint: painter(colour ?? process.stdout.isTTY),
    ask: process.stdin.isTTY ? ask : undefined,
    progress: process.stderr.isTTY ? progress : undefined,
    isBehind: () => process.stdout.writableNeedDrain,
  };
}

function progress(line: string): void {
  process.stderr.write(`\r\x1b[K${line}`);
}

/** On standard error: standard output may go elsewhere. */
async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } catch (cause: unknown) {
    if (!(cause instanceof Error && cause.name === 'AbortError')) throw cause;
    // Ctrl-C and Ctrl-D say nothing, which is no yes.
    process.stderr.write('\n');
    return '';
  } finally {
    lines.close();
  }
}

export function painter(hasColour: boolean): Terminal['paint'] {
  // The choice was made by readEnvironment; left alone, styleText would read the environment once more.
  return (style, text) => (hasColour ? styleText(style, text, { validateStream: false }) : text);
}

export function asJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Something that the caller can mend: what is wrong, where, and what to do. */
export type Trouble = Error & { readonly where?: Lines; readonly mend?: Lines };

type Lines = string | readonly string[];

export function trouble(
  what: string,
  more: { readonly where?: Lines; readonly mend?: Lines; readonly cause?: unknown } = {},
): Trouble {
  const { cause, ...rest } = more;
  return Object.assign(new Error(what, { cause }), { name: 'Trouble', ...rest });
}

/** One block for people; the stack only where it was asked for. */
export function sayError(error: unknown, { debug }: { readonly debug: boolean }): string {
  if (!(error instanceof Error)) return `gatehouse: ${String(error)}\n`;

  const { where = [], mend = unmended(error) } = error as Trouble;
  const lines = [
    `gatehouse: ${error.message}`,
    ...labelled('where', where),
    ...labelled('because', causes(error)),
    ...labelled('to mend it', mend),
    ...(debug ? [error.stack ?? ''] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** What was refused on purpose says all there is to know; only of the rest its stack says more. */
function unmended({ name }: Error): Lines {
  return name === 'Trouble' ? [] : 'run it again with --debug for the stack';
}

/** The label once; what follows stands below what came first. */
function labelled(label: string, text: Lines): readonly string[] {
  const lines = typeof text === 'string' ? text.split(/\n\s*/) : text;
  return lines.map(
    (line, index) => `  ${index === 0 ? `${label}:` : ' '.repeat(label.length + 1)} ${line}`,
  );
}

function causes({ cause }: Error): readonly string[] {
  if (cause === undefined) return [];
  return cause instanceof Error ? [cause.message, ...causes(cause)] : [String(cause)];
}
