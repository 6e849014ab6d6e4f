import inspector from 'node:inspector';
import type { Definition } from '#shared/define.ts';
import { trouble } from '../../cli/output.ts';

/** A debugger may stand somewhere: whoever waits for us waits for as long as that takes. */
export function isInspected(): boolean {
  return inspector.url() !== undefined;
}

/** Open until it is closed: a process with a debugger in it would not end by itself. */
export function openInspector(port: number): { readonly url: string; close(): void } {
  inspector.open(port, '127.0.0.1');
  const url = inspector.url();
  if (url === undefined) {
    throw trouble('the inspector cannot be opened', {
      where: `port ${port} of 127.0.0.1 is in use`,
      mend: 'name another port by --inspect=PORT, or any free one by --inspect=0',
    });
  }
  return { url, close: () => inspector.close() };
}

/** What a timer can wait at most: 24 days. */
const endlessMs = 2 ** 31 - 1;

/** Asked anew at each run: the inspector may be opened by a signal while we run. */
export function untimed<D extends Definition>(definition: D): D {
  const { deadlineMs } = definition;
  return Object.defineProperty({ ...definition }, 'deadlineMs', {
    enumerable: true,
    get: () => (isInspected() ? endlessMs : deadlineMs),
  });
}
