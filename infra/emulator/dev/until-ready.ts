import { get } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { isJsonObject, isList, type JsonObject } from '#shared/domain/json.ts';
import { mutatingWebhooks, validatingWebhooks } from '#shared/domain/kind.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import type { Cluster } from '#shared/ports.ts';
import type { Serving } from '#shared/runtime/serve.ts';

type Ready = {
  readonly cluster: Cluster;
  readonly serving: Serving;
  readonly manifests: readonly KubeObject[];
  readonly stopped: AbortSignal;
};

const lookMs = 20;
/** What is not ready by then is said by the conditions, and is no reason to wait on. */
const longestMs = 15_000;

/**
 * Until the API server can call us and trusts what it meets there: a pod that came before would pass unseen. And until
 * what happens is followed and worked on.
 */
export async function untilReady(waiting: Ready): Promise<void> {
  const until = performance.now() + longestMs;
  while (!waiting.stopped.aborted && performance.now() < until) {
    // What costs a connection is asked last: each of these steps takes time from what is waited for.
    const { serving } = waiting;
    const isWhole = serving.waitingFor().length === 0;
    if (isWhole && (await areTrusted(waiting)) && (await isServing(serving))) return;
    await after(lookMs);
  }
}

/** By no fetch: to load it takes longer than all of the waiting. */
function isServing({ probePort }: Serving): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const asked = get({ host: '127.0.0.1', port: probePort, path: '/readyz' }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.on('error', reject);
  });
}

async function areTrusted({ cluster, manifests }: Ready): Promise<boolean> {
  for (const kind of [mutatingWebhooks, validatingWebhooks]) {
    for (const { metadata } of manifests.filter((each) => each.kind === kind.kind)) {
      const found = await cluster.find({ kind, name: metadata.name ?? '' });
      if (!webhooksOf(found).every(isTrusted)) return false;
    }
  }
  return true;
}

function webhooksOf(configuration: KubeObject | undefined): readonly JsonObject[] {
  const webhooks = configuration?.['webhooks'];
  return (isList(webhooks) ? webhooks : []).filter(isJsonObject);
}

function isTrusted({ clientConfig }: JsonObject): boolean {
  return isJsonObject(clientConfig) && Boolean(clientConfig['caBundle']);
}
