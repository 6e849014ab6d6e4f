import { describe, expect, it } from 'vitest';
import type { World } from '#infra/emulator/controllers/frame/controller.ts';
import { lostPodController } from '#infra/emulator/controllers/lost-pods/lost-pods.ts';
import { pods } from '#infra/emulator/controllers/shapes/kinds.ts';
import type { Thing } from '#infra/emulator/controllers/shapes/meta.ts';
import { ended, node, now, pod, ready } from './making.ts';

type Scene = { nodesTold: readonly Thing[]; nodeThere?: Thing; atMs: number };

/** Two pods on node `a`, one of which has ended, and one on another node. */
function opened(scene: Scene) {
  const on = (name: string, nodeName: string, status = ready) =>
    pod(name, { spec: { nodeName }, status });
  const known = [on('runs', 'a'), on('over', 'a', ended('Succeeded')), on('else', 'b')];
  const written: object[] = [];
  const removed: string[] = [];
  const shelf = ({ resource }: { readonly resource: string }) => {
    const all: readonly Thing[] = resource === pods.resource ? known : scene.nodesTold;
    return {
      list: () => all,
      find: (place: string) => all.find(({ metadata }) => place.endsWith(`/${metadata.name}`)),
    };
  };
  const api = {
    find: async () => scene.nodeThere,
    async patch(_: object, body: object) {
      written.push(body);
      return { kind: 'written', object: known[0] };
    },
    async remove({ name }: { readonly name: string }, { graceSeconds }: { graceSeconds: number }) {
      removed.push(`${name} within ${graceSeconds} s`);
      return { kind: 'written', object: known[0] };
    },
  };
  const world = { shelf, api, now: () => new Date(now.getTime() + scene.atMs) };
  const controller = lostPodController();
  const look = () => controller.reconcile('a', world as unknown as World);
  return { look, written, removed };
}

describe('pods of a node that is there no more', () => {
  it('fail and go, when it has been missing for forty seconds', async () => {
    const scene: Scene = { nodesTold: [node('b')], atMs: 0 };
    const { look, written, removed } = opened(scene);
    expect(await look()).toEqual({ kind: 'later', afterSeconds: 40 });
    scene.atMs = 39_000;
    expect(await look()).toEqual({ kind: 'later', afterSeconds: 1 });
    expect(removed).toEqual([]);

    scene.atMs = 40_000;
    expect(await look()).toEqual({ kind: 'done' });
    expect(removed.toSorted()).toEqual(['over within 0 s', 'runs within 0 s']);
    const condition = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC' };
    expect(written).toMatchObject([
      {
        status: {
          phase: 'Failed',
          conditions: expect.arrayContaining([expect.objectContaining(condition)]),
        },
      },
    ]);
  });

  it('stay where it has come back meanwhile, told or not', async () => {
    const scene: Scene = { nodesTold: [], atMs: 0 };
    const { look, removed } = opened(scene);
    await look();
    Object.assign(scene, { nodesTold: [node('a')], atMs: 50_000 });
    expect(await look()).toEqual({ kind: 'done' });
    // From here on it is missing anew.
    Object.assign(scene, { nodesTold: [], nodeThere: node('a'), atMs: 60_000 });
    expect(await look()).toEqual({ kind: 'later', afterSeconds: 40 });
    scene.atMs = 100_000;
    expect(await look()).toEqual({ kind: 'done' });
    expect(removed).toEqual([]);
  });
});
