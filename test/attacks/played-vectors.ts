import { isJsonObject, type JsonObject } from '#shared/domain/json.ts';
import { makeImage } from '#test/support/registry/pushed-image.ts';
import { digestFor } from '#test/support/tuf/publish.ts';
import { podOf } from './pod.ts';
import { notaryOf } from './settle-world.ts';
import type { Play, StatedNamespace, Vector } from './vector.ts';
import { type Places, placeIn } from './written-vectors.ts';

/** What takes more than a pod or two: servers that change meanwhile, and many who ask at once. */
export async function playedVectors(places: Places): Promise<readonly Vector[]> {
  const system = placeIn(places, 'system');
  return [plantedByDryRun(placeIn(places, 'dry')), await mixedUp(system)];
}

const dryApp = 'registry.example/dry/app';

/** Whoever stands between while somebody tries it out would choose whose root is believed from then on. */
function plantedByDryRun(namespace: StatedNamespace): Vector {
  const show: (name: string) => Play =
    (name) =>
    async ({ outside }) => {
      const notary = outside.notaries.get(name);
      if (notary !== undefined) outside.notaries.set('changing', notary);
      return { admitted: false, said: '' };
    };
  const twin: Play = async (stage) => {
    await show('mallory')(stage);
    await stage.admit({ namespace, object: podOf(`${dryApp}:1.0`), dryRun: true });
    await show('dry')(stage);
    return stage.admit({ namespace, object: podOf(`${dryApp}:1.0@${digestFor('dry')}`) });
  };
  const evil: Play = async (stage) => {
    await twin(stage);
    await show('mallory')(stage);
    return stage.admit({ namespace, object: podOf(`${dryApp}:2.0@${digestFor('evil')}`) });
  };
  return {
    name: 'a first use that a dry run has planted',
    theme: 'played',
    namespaces: [],
    evil,
    twin,
  };
}

const many = 12;
const crowd = 'registry.example/team/crowd';

/** Each asks for another tag, half of them for what nobody signed; each has to be answered about its own. */
async function mixedUp(namespace: StatedNamespace): Promise<Vector> {
  const signed = Object.fromEntries(
    Array.from({ length: many }, (_, index) => [`t${index}`, `crowd-${index}`]),
  );
  const notary = await notaryOf({ [crowd]: signed });
  const prepare: Play = async ({ outside }) => {
    const platform = outside.notaries.get('platform');
    outside.notaries.set('platform', (gun, file) =>
      gun === crowd ? notary(gun, file) : (platform?.(gun, file) ?? 'absent'),
    );
    for (const [tag, name] of Object.entries(signed)) {
      outside.registry.keep('team/crowd', tag, name);
      outside.registry.keep('team/crowd', `evil-${tag}`, `evil-${name}`);
      outside.registry.memory.keep('team/crowd', makeImage(name).manifest);
    }
    return { admitted: false, said: '' };
  };
  const asking =
    (prefix: string): Play =>
    async (stage) => {
      await prepare(stage);
      const answers = await Promise.all(
        Object.entries(signed).flatMap(([tag, name]) =>
          ['', 'evil-'].map(async (kind) => ({
            kind,
            name,
            ...(await stage.admit({ namespace, object: podOf(`${crowd}:${kind}${tag}`) })),
          })),
        ),
      );
      const wrong = answers.find(
        ({ kind, name, admitted, object }) =>
          admitted && (kind !== '' || !imageOf(object).endsWith(digestFor(name))),
      );
      const good = answers.filter(({ kind, admitted }) => kind === '' && admitted);
      const admitted =
        prefix === '' ? wrong === undefined && good.length === many : wrong !== undefined;
      return {
        admitted,
        said: wrong === undefined ? `${good.length} of ${many}` : imageOf(wrong.object),
      };
    };
  return {
    name: 'many who ask at once for different digests',
    theme: 'played',
    namespaces: [],
    evil: asking('evil-'),
    twin: asking(''),
  };
}

function imageOf({ spec }: JsonObject): string {
  const containers = isJsonObject(spec ?? null) && isJsonObject(spec) ? spec['containers'] : [];
  const [first] = Array.isArray(containers) ? containers : [];
  return isJsonObject(first) ? String(first['image']) : '';
}
