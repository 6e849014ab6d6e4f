import { afterAll, expect, it } from 'vitest';
import { digestFor } from '#test/support/tuf/publish.ts';
import { openCorpus } from './corpus.ts';
import { openInProcess } from './in-process.ts';
import { appName } from './outside.ts';
import { podWithSpec } from './pod.ts';

const corpus = await openCorpus();
const target = await openInProcess(corpus);
afterAll(async () => {
  target.close();
  await corpus.close();
});

/** As clusters of later versions may have them. */
const newer = { newerField: { deep: [1, { deeper: null }] }, 'odd~name/': 'as it is' };

function podOf(image: string) {
  const container = (name: string) => ({ name, image, ...newer });
  return podWithSpec(
    {
      ...newer,
      initContainers: [container('first')],
      containers: [container('web')],
      volumes: [
        { name: 'data', image: { reference: image, ...newer } },
        { name: 'odd', ...newer },
      ],
    },
    { ...newer, annotations: { note: 'of somebody' } },
  );
}

it('what a newer cluster says of a pod comes through as it is', async () => {
  const namespace = corpus.namespaces.find(({ name }) => name.endsWith('-system'));
  if (namespace === undefined) throw new Error('there is no namespace');
  const { admitted, object } = await target.admit({ namespace, object: podOf(`${appName}:1.0`) });
  expect(admitted).toBe(true);
  const pinned = podOf(`${appName}:1.0@${digestFor('good')}`);
  const labels = { 'pods.warden.kyma-project.io/validate': 'success' };
  expect(object).toEqual({ ...pinned, metadata: { ...Object(pinned['metadata']), labels } });
});
