import { ftruncateSync, renameSync, writeSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';

export type Journal = {
  /** Is kept when it returns, unless there is a problem: then it waits until that is over. */
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

/**
 * An append-only file. A line is with the operating system before its writer goes on, so that nothing that was answered is
 * lost when the process is killed; the disk has it soon after.
 */
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
  let retrying: NodeJS.Timeout | undefined;
  let isClosed = false;
  /** Since a rewrite began. */
  let meanwhile: string[] | undefined;
  const disk = syncing(() => file);

  const flush = () => {
    retrying = undefined;
    if (waiting.length === 0) return;
    const bytes = Buffer.from(waiting.join(''));
    problem = appended(file.fd, bytes, written);
    if (problem !== undefined) {
      onProblem(problem);
      if (!isClosed) retrying = setTimeout(flush, retryMs).unref();
      return;
    }
    waiting = [];
    written += bytes.length;
    disk.sync();
  };
  return {
    append(line) {
      waiting.push(line);
      meanwhile?.push(line);
      if (retrying === undefined) flush();
    },
    problem: () => problem,
    bytes: () => written,
    /** What is appended meanwhile comes behind it; to read it twice does no harm. */
    async rewrite(lines) {
      meanwhile = [];
      let next: FileHandle | undefined;
      try {
        const bytes = await writtenTo(`${path}.new`, lines());
        next = await open(`${path}.new`, 'a+');
        await disk.idle();
        // Without a turn in between: whoever is killed leaves one file or the other, and each is whole.
        const behind = Buffer.from(meanwhile.join(''));
        const why = appended(next.fd, behind, bytes);
        if (why !== undefined) throw new Error(why);
        renameSync(`${path}.new`, path);
        [file, next] = [next, file];
        written = bytes + behind.length;
        waiting = [];
        problem = undefined;
      } catch (cause: unknown) {
        // Half of it takes room that the other one may need.
        await rm(`${path}.new`, { force: true });
        throw cause;
      } finally {
        meanwhile = undefined;
        await next?.close();
      }
    },
    async close() {
      // From here on a problem is not waited out.
      isClosed = true;
      clearTimeout(retrying);
      flush();
      await disk.idle();
      await file.close();
      if (waiting.length > 0)
        throw new Error(`the state of the cluster could not be kept: ${problem}`);
    },
  };
}

/** All of it, or as if nothing had been tried: half a line must not stand before a whole one. */
function appended(fd: number, bytes: Buffer, at: number): string | undefined {
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
    return undefined;
  } catch (cause: unknown) {
    truncated(fd, at);
    return cause instanceof Error ? cause.message : String(cause);
  }
}

function truncated(fd: number, at: number): void {
  try {
    ftruncateSync(fd, at);
  } catch {
    // A device has no length; what stands half in a file is dropped when it is read.
  }
}

/** To the disk itself, one after the other: all that came meanwhile goes with the next. */
function syncing(file: () => FileHandle) {
  let running: Promise<void> | undefined;
  let isWanted = false;
  const turn = async () => {
    while (isWanted) {
      isWanted = false;
      // What the system cannot bring to its disk is as lost as by a power cut, which nobody is promised.
      await file()
        .datasync()
        .catch(() => {});
    }
    running = undefined;
  };
  return {
    sync() {
      isWanted = true;
      running ??= turn();
    },
    idle: async () => running,
  };
}

const chunkLength = 256 * 1024;

/** How many bytes that are. */
async function writtenTo(path: string, lines: Iterable<string>): Promise<number> {
  await using file = await open(path, 'w+');
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
  return bytes;
}
