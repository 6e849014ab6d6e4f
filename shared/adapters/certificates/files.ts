import { watch } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';

export type MountedCertificate = {
  /** With its intermediates, where it has some. */
  readonly certificate: string;
  readonly key: string;
  /** Empty where nothing was mounted: the leaf is then trusted by other means. */
  readonly ca: string;
};

export type MountedCertificates = {
  /** `undefined` where a file is missing, or the directory was swapped under our hands. */
  read(): Promise<MountedCertificate | undefined>;
  close(): void;
};

/** No watch survives everything that can be mounted: whatever it misses is seen by looking again. */
const defaultPollMs = 10_000;

/** A mounted Secret, or any directory that holds tls.crt, tls.key and ca.crt. */
export function openMountedCertificates(options: {
  readonly directory: string;
  readonly pollMs?: number;
  readonly onChange: () => void;
  readonly onProblem: (why: string) => void;
}): MountedCertificates {
  const { directory, pollMs = defaultPollMs, onChange, onProblem } = options;
  const polling = setInterval(onChange, pollMs).unref();
  const stopWatching = watchDirectory(directory, onChange, onProblem);
  return {
    read: () => readMounted(directory),
    close() {
      clearInterval(polling);
      stopWatching();
    },
  };
}

/** The directory, never the files: the kubelet replaces the link `..data`, and a watch on a file would stay with the old one. */
function watchDirectory(
  directory: string,
  onChange: () => void,
  onProblem: (why: string) => void,
): () => void {
  try {
    const watcher = watch(directory, { persistent: false }, onChange);
    watcher.on('error', (cause) => onProblem(`the directory cannot be watched: ${cause.message}`));
    return () => watcher.close();
  } catch (cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    onProblem(`the directory cannot be watched: ${why}`);
    return () => {};
  }
}

/** All three through one resolved link, which must be the same afterwards: of a directory on its way out, files may be gone. */
async function readMounted(directory: string): Promise<MountedCertificate | undefined> {
  const data = await resolved(directory);
  const [certificate, key, ca] = await Promise.all(
    ['tls.crt', 'tls.key', 'ca.crt'].map((name) =>
      readFile(join(data, name), 'utf8').catch(ifAbsent(undefined)),
    ),
  );
  if (certificate === undefined || key === undefined) return undefined;
  return data === (await resolved(directory)) ? { certificate, key, ca: ca ?? '' } : undefined;
}

function resolved(directory: string): Promise<string> {
  return realpath(join(directory, '..data')).catch(ifAbsent(directory));
}

/** Anything but absence (no right to read, a broken disk) is an outage, and thrown. */
function ifAbsent<T>(instead: T): (cause: unknown) => T {
  return (cause) => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return instead;
    throw new Error('cannot read the mounted certificate', { cause });
  };
}
