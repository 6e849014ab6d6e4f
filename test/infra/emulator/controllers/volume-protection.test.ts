import { expect, it } from 'vitest';
import type { World } from '#infra/emulator/controllers/frame/controller.ts';
import { pods, volumeClaims } from '#infra/emulator/controllers/shapes/kinds.ts';
import type { Thing } from '#infra/emulator/controllers/shapes/meta.ts';
import type { Pod } from '#infra/emulator/controllers/shapes/pod.ts';
import { volumeProtectionController } from '#infra/emulator/controllers/volume-protection/volume-protection.ts';
import { metaOf, now, pod } from './making.ts';

const claim: Thing = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: metaOf('data', {
    deletionTimestamp: now.toISOString(),
    finalizers: ['kubernetes.io/pvc-protection'],
  }),
};
const user = pod('a', {
  spec: {
    nodeName: 'one',
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
  },
});

/** What a watch has told, and what is there. */
async function isLetGo(told: readonly Pod[], there: readonly Pod[]): Promise<boolean> {
  let letGo = false;
  const shelves: Readonly<Record<string, readonly Thing[]>> = {
    [volumeClaims.resource]: [claim],
    [pods.resource]: told,
  };
  const world = {
    shelf: ({ resource }: { readonly resource: string }) => ({
      find: () => shelves[resource]?.[0],
      list: () => shelves[resource] ?? [],
    }),
    async *listLive() {
      yield* there;
    },
    api: {
      async update() {
        letGo = true;
        return { kind: 'written', object: claim };
      },
    },
  } as unknown as World;
  await volumeProtectionController.reconcile('team/data', world);
  return letGo;
}

it.each([
  ['goes where no pod uses it', [], [], true],
  ['stays where a pod does', [user], [user], false],
  ['stays where one does that no watch has told of yet', [], [user], false],
] as const)('a claim that is deleted %s', async (_, told, there, goes) => {
  expect(await isLetGo(told, there)).toBe(goes);
});
