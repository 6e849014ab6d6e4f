import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RealNotary } from './start.ts';

const passphrases = Object.fromEntries(
  ['ROOT', 'TARGETS', 'SNAPSHOT', 'DELEGATION'].map((role) => [
    `NOTARY_${role}_PASSPHRASE`,
    `${role.toLowerCase()}-passphrase`,
  ]),
);

/** Somebody with Debian's `notary` and keys of his own. */
export type Publisher = {
  /** For its output; fails with what it complained about. */
  notary(...args: readonly string[]): Promise<string>;
  /** Writes a file beside the keys. */
  write(name: string, content: string): string;
  readonly directory: string;
};

export function publisherAt({ url, caPath, directory }: RealNotary): Publisher {
  const own = mkdtempSync(join(directory, 'publisher-'));
  const always = ['-s', url, '--tlscacert', caPath, '-d', join(own, 'trust')];
  return {
    directory: own,
    notary: async (...args) => {
      // HOME, or it would read and write the configuration of whoever runs the tests.
      const env = { ...passphrases, HOME: own, PATH: '/usr/bin' };
      const run = promisify(execFile)('/usr/bin/notary', [...always, ...args], { env });
      // It asks whether a root key is really to be rotated; else it may have ended before it is told.
      run.child.stdin?.on('error', () => undefined);
      run.child.stdin?.end('yes\n');
      return (await run).stdout;
    },
    write: (name, content) => {
      const path = join(own, name);
      writeFileSync(path, content);
      return path;
    },
  };
}
