import { trouble } from '../../cli/output.ts';

type Starting = { readonly port: number; readonly directory: string };

/** Why the cluster did not start, in the words of whoever started it. The folder is left as it is. */
export function notStarted(cause: unknown, { port, directory }: Starting): unknown {
  if (!(cause instanceof Error)) return cause;
  const { message, cause: inner } = cause;
  if ('code' in cause && cause.code === 'EADDRINUSE') {
    return trouble(`port ${port} is in use`, {
      where: `127.0.0.1:${port}`,
      mend: 'stop what listens there, or name another by --port, 0 for any free one',
    });
  }
  const known = causes.find(({ words }) => words.test(message));
  if (known === undefined) return cause;
  const [said = ''] = message.split('\n');
  return trouble(known.what, { where: [said, directory], mend: known.mend, cause: inner });
}

/** As the cluster says it. */
const causes = [
  {
    words: /ENOSPC/,
    what: 'the disk is full',
    mend: 'make room there, or name a folder on another disk by --state; what is kept stays as it is',
  },
  {
    words: /newer gatehouse/,
    what: 'this state folder is of a newer Gatehouse',
    mend: 'update gatehouse, or name another folder by --state, or forget what is in it by --fresh',
  },
  {
    words: /is in use by/,
    what: 'another Gatehouse uses this state folder',
    mend: 'stop that one, or name another folder by --state',
  },
  {
    words: /is broken at byte|is no state of a cluster|cannot be read|cannot read/,
    what: 'the state of the cluster cannot be read',
    mend: 'mend it, or name another folder by --state, or forget what is in it by --fresh',
  },
] as const;
