import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { open } from '#infra/emulator/cluster/opening.ts';
import { handle } from '#infra/emulator/cluster/serving/handling.ts';
import { kubeconfigFor } from '#infra/emulator/cluster/serving/kubeconfig.ts';
import { listenSecurely } from '#infra/emulator/cluster/serving/listening.ts';
import { changing } from '#infra/emulator/cluster/store/changing.ts';
import { openObjects } from '#infra/emulator/cluster/store/objects.ts';

/** The emulated cluster, each call of which takes so much longer, and in which writes to some namespaces fail. */
export async function openSlowCluster(delayMs: number) {
  const opened = await open({
    ...{ log: () => {}, now: () => new Date() },
    ...{ hasLedger: true, historySize: 50_000 },
  });
  const { keys, store, server, counts, isReachedAt } = opened;
  const failing = new Set<string>();
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    await after(delayMs);
    const [, namespace = ''] =
      /^\/api\/v1\/namespaces\/([^/]+)\/secrets/.exec(request.url ?? '') ?? [];
    if (request.method !== 'PATCH' || !failing.has(namespace))
      return handle(server, request, response);
    request.resume();
    response.writeHead(500, { 'content-type': 'application/json' }).end('{}');
  };
  const given = { port: 0, leaf: keys.leaf, clientCa: keys.ca.certificate };
  const { port } = await listenSecurely(given, answer);
  const url = `https://127.0.0.1:${port}`;
  isReachedAt(url);
  const user = { token: keys.adminToken };
  return {
    kubeconfig: kubeconfigFor({ server: url, ca: keys.ca.certificate, name: 'bench', user }),
    objects: openObjects(store, changing(store)),
    ...{ counts, failing, ledger: store.ledger },
  };
}

export type SlowCluster = Awaited<ReturnType<typeof openSlowCluster>>;
