export type Progress = {
  /** What is under way; the line that says it stands until the next one, and nobody sees it in a file. */
  say(what: string): void;
  tell(line: string): void;
  clear(): void;
};

type Terminal = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>;

const clearLine = '\r\x1b[K';

export function openProgress(terminal: Terminal): Progress {
  const clear = () => {
    if (terminal.isTTY) terminal.write(clearLine);
  };
  return {
    clear,
    say: (what) => {
      if (terminal.isTTY) terminal.write(`${clearLine}${what.slice(0, terminal.columns - 1)}`);
    },
    tell: (line) => {
      clear();
      terminal.write(`${line}\n`);
    },
  };
}
