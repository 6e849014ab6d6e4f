import { type FileHandle, open, rename } from 'node:fs/promises';

export type Journal = {
  /** Goes to the disk soon; whoever writes does not wait for it. */
  append(line: string): void;
  /** Why nothing can be kept at the moment, where that is so. */
  problem(): string | undefined;
  bytes(): number;
  /** Another file in its place. */
  rewrite(lines: () => Iterable<string>): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  readonly path: string;
  /** What stands behind is cut off. */
  readonly size: number;
  readonly onProblem: (why: string) => void;
  readonly retryMs?: number;
};

/** An append-only file: what comes while the disk is busy goes out together with the next write. */
export async function openJournal({
  path,
  size,
  onProblem,
  retryMs = 500,
}: Options): Promise<Journal> {
  let file = await open(path, 'a+');
  if ((await file.stat()).size > size) await file.truncate(size);
  let written = size;
  let waiting: string[] = [];
  let problem: string | undefined;
  let running: Promise<void> | undefined;
  let isClosed = false;
  let isRewriting = false;

  const flush = async () => {
    while (waiting.length > 0 && !isRewriting) {
      const lines = waiting;
      waiting = [];
      const bytes = Buffer.from(lines.join(''));
      problem = await appended(file, bytes, written);
      if (problem === undefined) {
        written += bytes.length;
        continue;
      }
      waiting = lines.concat(waiting);
      onProblem(problem);
      if (isClosed) return;
      await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
    }
  };
  const settle = () => {
    running ??= flush().finally(() => {
      running = undefined;
      if (waiting.length > 0 && !isClosed && !isRewriting) void settle();
    });
    return running;
  };
  return {
    append(line) {
      waiting.push(line);
      // After this turn: all that it writes goes out at once.
      if (waiting.length === 1 && running === undefined) setImmediate(() => void settle());
    },
    problem: () => problem,
    bytes: () => written,
    /** What is appended meanwhile comes behind it; to read it twice does no harm. */
    async rewrite(lines) {
      isRewriting = true;
      try {
        await running;
        const next = await rewritten(`${path}.new`, lines());
        await rename(`${path}.new`, path);
        const old = file;
        file = next.file;
        written = next.bytes;
        await old.close();
      } finally {
        isRewriting = false;
        if (waiting.length > 0) void settle();
      }
    },
    async close() {
      // From here on a problem is not waited out.
      isClosed = true;
      await settle();
      await settle();
      await file.close();
      if (waiting.length > 0)
        throw new Error(`the state of the cluster could not be kept: ${problem}`);
    },
  };
}

/** All of it, or as if nothing had been tried: half a line must not stand before a whole one. */
async function appended(file: FileHandle, bytes: Buffer, at: number): Promise<string | undefined> {
  try {
    await file.appendFile(bytes);
    await file.datasync();
    return undefined;
  } catch (cause: unknown) {
    await file.truncate(at).catch(() => {});
    return cause instanceof Error ? cause.message : String(cause);
  }
}

const chunkLength = 256 * 1024;

async function rewritten(path: string, lines: Iterable<string>) {
  const file = await open(path, 'w+');
  let [chunk, bytes] = ['', 0];
  const push = async () => {
    const buffer = Buffer.from(chunk);
    await file.appendFile(buffer);
    bytes += buffer.length;
    chunk = '';
  };
  for (const line of lines) {
    chunk += line;
    if (chunk.length >= chunkLength) await push();
  }
  await push();
  await file.datasync();
  await file.close();
  return { file: await open(path, 'a+'), bytes };
}
