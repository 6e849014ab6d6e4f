import { existsSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Folders } from '../../emulator/dev/functions-in-work.ts';
import { plain } from '../queue/table.ts';

export type ErrorWords = (error: Error) => string;

type Given = {
  /** The whole stack as well. */
  readonly debug?: boolean;
  /** Where functions are written. */
  readonly folders?: Folders;
};

const root = join(import.meta.dirname, '../../..');
const frame = /(?:\(|at (?:async )?)(?:file:\/\/)?(\/[^()?]+?)(?:\?[^:]*)?:(\d+):\d+\)?$/;

/** An error for whoever wrote the function: what is wrong and where in their own file; most of a stack is ours. */
export function openErrorWords({ debug = false, folders }: Given): ErrorWords {
  const theirs = [...(folders?.builtIn ?? []), ...(folders?.own === undefined ? [] : [folders.own])]
    .filter((folder) => existsSync(folder))
    .map((folder) => realpathSync(folder) + sep);
  const isTheirs = (path: string) =>
    theirs.some((folder) => path.startsWith(folder)) ||
    !(path.includes(`${sep}node_modules${sep}`) || path.startsWith(root + sep));

  return (error) => {
    const { stack = '' } = error;
    const calls = stack.split('\n').filter((line) => /^\s*at /.test(line));
    const [place] = calls.flatMap((call) => {
      const [, path = '', line] = frame.exec(call) ?? [];
      return path !== '' && isTheirs(path) ? [`${fromHere(path)}:${line}`] : [];
    });
    const said = [
      plain(messagesOf(error).join(', because ')),
      ...(place ? [`at ${plain(place)}`] : []),
    ];
    const shown = debug ? calls.map((call) => `\n    ${plain(call.trim())}`) : [];
    return [said.join('  '), ...shown].join('');
  };
}

function fromHere(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}

function messagesOf(error: Error): readonly string[] {
  const { name, message, cause } = error;
  const told = name === 'Error' ? message : `${name}: ${message}`;
  return cause instanceof Error ? [told, ...messagesOf(cause)] : [told];
}
