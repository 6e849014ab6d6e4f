import type { Incoming, Outgoing } from './admission/direct-door.ts';
import type { Listener } from './listen.ts';

export type Readiness = {
  readonly ready: boolean;
  /** Ready, but something is wrong that an operator should look at. */
  readonly degraded: readonly string[];
  readonly waitingFor: readonly string[];
};

export type Probed = {
  readonly readiness: () => Promise<Readiness>;
  /** What stands still, and will not go on without a new process. */
  readonly still: () => readonly string[];
  readonly metrics: () => Promise<{ readonly text: string; readonly contentType: string }>;
  readonly failed: (path: string, cause: unknown) => void;
};

/**
 * Plain HTTP on a port of its own: liveness says that the process turns, and that none of its loops stands still; readiness
 * that it can answer. Straight on Node's server: with the first Request comes all of its fetch, 15 MiB that a process which
 * only follows the cluster never needs.
 */
export function probeListener(probed: Probed): Listener {
  const give = async (incoming: Incoming, outgoing: Outgoing) => {
    const { status, type, text } = await answerTo(incoming, probed);
    outgoing.statusCode = status;
    outgoing.setHeader('content-type', type);
    outgoing.setHeader('content-length', Buffer.byteLength(text));
    outgoing.end(text);
  };
  return (incoming, outgoing) => void give(incoming, outgoing);
}

type Answer = { readonly status: number; readonly type: string; readonly text: string };

async function answerTo({ method, url = '' }: Incoming, probed: Probed): Promise<Answer> {
  const [path = ''] = url.split('?');
  const page = method === 'GET' || method === 'HEAD' ? pages.get(path) : undefined;
  if (page === undefined) return plain(404, `it has ${[...pages.keys()].join(', ')}\n`);
  try {
    return await page(probed);
  } catch (cause: unknown) {
    probed.failed(path, cause);
    return plain(500, 'it could not be answered: the log says why\n');
  }
}

const pages = new Map<string, (probed: Probed) => Answer | Promise<Answer>>([
  ['/healthz', health],
  ['/readyz', readiness],
  ['/metrics', metrics],
]);

function health({ still }: Probed): Answer {
  const loops = still();
  return loops.length === 0
    ? plain(200, 'ok\n')
    : plain(503, `stands still: ${loops.join(', ')}\n`);
}

async function readiness(probed: Probed): Promise<Answer> {
  const state = await probed.readiness();
  const text = JSON.stringify({ status: statusOf(state), ...state });
  return { status: state.ready ? 200 : 503, type: 'application/json', text };
}

async function metrics(probed: Probed): Promise<Answer> {
  const { text, contentType } = await probed.metrics();
  return { status: 200, type: contentType, text };
}

function plain(status: number, text: string): Answer {
  return { status, type: 'text/plain; charset=utf-8', text };
}

function statusOf({ ready, degraded }: Readiness): 'ok' | 'degraded' | 'not ready' {
  if (!ready) return 'not ready';
  return degraded.length === 0 ? 'ok' : 'degraded';
}
