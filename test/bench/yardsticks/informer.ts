import { openSync, writeSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { KubeConfig, KubernetesObjectApi, makeInformer } from '@kubernetes/client-node';

/** What a user of @kubernetes/client-node writes: an informer a kind, begun again after an error as its examples do. */
type Watched = { readonly apiVersion: string; readonly kind: string; readonly path: string };

const [kubeconfig = '', file = '', kinds = '[]', againMs = '5000'] = process.argv.slice(2);
const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const api = KubernetesObjectApi.makeApiClient(config);
const seen = openSync(file, 'a');

type Seen = {
  readonly metadata?: { readonly uid?: string; readonly resourceVersion?: string };
};

for (const { apiVersion, kind, path } of JSON.parse(kinds) as readonly Watched[]) {
  const informer = makeInformer(config, path, () => api.list(apiVersion, kind));
  const note = (wake: 'changed' | 'deleted', state: string) => (object: Seen) => {
    const at = (Number(process.hrtime.bigint()) / 1e6).toFixed(3);
    const { uid, resourceVersion } = object.metadata ?? {};
    const line = [`informer-${path.split('/').at(-1)}`, uid, wake, state, resourceVersion, ''];
    writeSync(seen, `${[...line, at, at].join('\t')}\n`);
  };
  informer.on('add', note('changed', 'living'));
  informer.on('update', note('changed', 'living'));
  informer.on('delete', note('deleted', 'tombstone'));
  const begin = async (): Promise<void> => {
    try {
      await informer.start();
    } catch {
      // Not there, or not answering: as below.
      await after(Number(againMs));
      await begin();
    }
  };
  informer.on('error', () => void after(Number(againMs)).then(begin));
  void begin();
}
process.send?.('started');
process.once('disconnect', () => process.exit());
