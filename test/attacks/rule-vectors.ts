import { digestFor } from '#test/support/tuf/publish.ts';
import { good, playing as playingCosign } from './cosign-vectors.ts';
import type { Outside } from './outside.ts';
import { podOf } from './pod.ts';
import { signAtPlatform } from './sign-at-platform.ts';
import type { Play, StatedNamespace, Vector } from './vector.ts';
import { type Places, placeIn } from './written-vectors.ts';

const strict = 'strict/rule';
const loose = 'loose/rule';

/** As `imageTrust.registries` has them: below these paths a Notary's word is not enough. */
export function demandingRules({ host }: Pick<Outside, 'host'>) {
  return ['registry.example', 'docker.io', host].map((registry) => ({
    prefix: `${registry}/${strict}`,
    verifiers: ['cosign'],
    need: 'either',
  }));
}

/** What the Notary has signed below a path where it does not count, by a name that the rule is not spelled in. */
export function ruleVectors(outside: Outside, places: Places): readonly Vector[] {
  const namespace = placeIn(places, 'system');
  const rest = { theme: 'rules', namespaces: [] } as const;
  return [
    ...spellings.map(([name, registry, signedAs = [registry]]) => ({
      ...{ ...rest, name: `past the rule of a registry: ${name}` },
      evil: playing({ registry, path: strict, signedAs, namespace }),
      twin: playing({ registry, path: loose, signedAs, namespace }),
    })),
    {
      ...{ ...rest, name: 'past the rule of a registry: a dot at the end of the host' },
      evil: playing({ ...dotted, registry: 'registry.example.', path: strict, namespace }),
      twin: playing({ ...dotted, registry: 'registry.example', path: loose, namespace }),
    },
    ...hereSpelled(outside.host).map(([name, host]) => ({
      ...{ ...rest, name: `past the rule of a registry that is asked: ${name}` },
      evil: playingCosign(`${name} evil`, () => ({}), namespace, {
        ...{ host, path: strict, isInNotary: true },
      }),
      twin: playingCosign(`${name} twin`, good, namespace, { host, path: strict }),
    })),
  ];
}

const dotted = { signedAs: ['registry.example', 'registry.example.'] };

/** With the names that its images may be looked for under. */
const spellings: readonly (readonly [string, string, (readonly string[])?])[] = [
  ['as it is spelled', 'registry.example'],
  ['the port that https has anyway', 'registry.example:443'],
  ['the same port, written longer', 'registry.example:0443'],
  ['capital letters', 'Registry.EXAMPLE', ['registry.example', 'Registry.EXAMPLE']],
  ['capital letters and the port', 'REGISTRY.example:443', ['registry.example:443']],
  ['the host that the hub is pulled from', 'registry-1.docker.io'],
  ['the site of the hub', 'registry.hub.docker.com'],
  ['the older name of the hub', 'index.docker.io', ['docker.io', 'index.docker.io']],
  ['the hub in capital letters', 'Docker.IO', ['docker.io', 'Docker.IO']],
  ['the hub with its port', 'docker.io:443'],
];

/** By its own host, whose signatures can be read. */
function hereSpelled(host: string): readonly (readonly [string, string])[] {
  return [['capital letters', host.toUpperCase()]];
}

type Playing = {
  readonly registry: string;
  readonly path: string;
  readonly signedAs: readonly string[];
  readonly namespace: StatedNamespace;
};

/** By its digest, so that no registry has to be asked what it is. */
function playing({ registry, path, signedAs, namespace }: Playing): Play {
  return async ({ outside, admit }) => {
    const collections = Object.fromEntries(
      signedAs.map((host) => [`${host}/${path}/app`, { '1.0': 'good' }]),
    );
    await signAtPlatform(outside, collections);
    outside.registry.keep(`${path}/app`, '1.0', 'good');
    const image = `${registry}/${path}/app:1.0@${digestFor('good')}`;
    return admit({ namespace, object: podOf(image) });
  };
}
