import { digestFor, type Files, type Plan, publish } from '#test/support/tuf/publish.ts';
import { now, plan } from '#test/support/tuf/scene.ts';
import { elliptic, type Signer } from '#test/support/tuf/signer.ts';
import { userNamespace } from './namespaces.ts';
import type { Outside, Served } from './outside.ts';
import { podOf } from './pod.ts';
import { rootOf } from './root-of.ts';
import type { Play, StatedNamespace, Vector } from './vector.ts';

/** What a server does with files that nobody else has ever shown: they are about images of their own. */
export async function servedVectors(outside: Outside): Promise<readonly Vector[]> {
  const stated = [
    ...roles.flatMap(withheld),
    ...ends.map(ended),
    ...tops.map(saidTwice),
    ...[ended('timestamp'), falselySigned].map(whereItIsNotStrict),
  ];
  return Promise.all(stated.map((each, index) => vectorOf(each, index, outside)));
}

type Stated = {
  readonly name: string;
  readonly plan: (plan: Plan) => Plan;
  readonly serve: (file: string, honest: Served) => Served;
  readonly isStrict?: boolean;
};

const roles = ['snapshot', 'targets'] as const;
const ends = ['root', 'timestamp', 'snapshot', 'targets'] as const;
const tops = ['root', 'timestamp'] as const;
const dayMs = 86_400_000;

function withheld(role: (typeof roles)[number]): readonly Stated[] {
  const manners: readonly (readonly [string, Served])[] = [
    [`a ${role} that is withheld`, 'absent'],
    [`a ${role} that does not end`, 'endless'],
    [`a ${role} of other bytes under the digest of the honest one`, Buffer.from('{"signed":{}}')],
  ];
  return manners.map(([name, instead]) => ({
    name,
    plan: (plan) => plan,
    serve: (file, honest) =>
      file.startsWith(`${role}.`) && file !== `${role}.json` ? instead : honest,
  }));
}

function ended(role: (typeof ends)[number]): Stated {
  const expires = new Date(now.getTime() - dayMs).toISOString();
  return {
    name: `a ${role} that ended a day ago`,
    plan: (plan) => ({ ...plan, [role]: { ...plan[role], expires } }),
    serve: (_, honest) => honest,
  };
}

const falselySigned: Stated = {
  name: 'a signature that does not hold',
  plan: (plan) => {
    const signedBy = plan.timestamp.signers.map(posingAs);
    return { ...plan, timestamp: { ...plan.timestamp, signedBy } };
  },
  serve: (_, honest) => honest,
};

/** Signs with a key of his own under the id of another's. */
function posingAs({ id }: Signer): Signer {
  const own = elliptic();
  return { ...own, sign: (...given) => ({ ...own.sign(...given), keyid: id }) };
}

/** What is false is false there too: only whom nobody can ask is let through. */
function whereItIsNotStrict(stated: Stated): Stated {
  return { ...stated, name: `${stated.name}, where a namespace is not strict`, isStrict: false };
}

/** Which of two members of one name counts is another one to each reader; what is read has to be what was signed. */
function saidTwice(role: (typeof tops)[number]): Stated {
  return {
    name: `a ${role} that says all of it twice, the second time something else`,
    plan: (plan) => plan,
    serve: (file, honest) => {
      if (file !== `${role}.json` || !(honest instanceof Uint8Array)) return honest;
      const { signed, signatures } = JSON.parse(Buffer.from(honest).toString());
      const other = JSON.stringify({ ...signed, version: 7 });
      const text = `"signed":${JSON.stringify(signed)},"signed":${other}`;
      return Buffer.from(`{${text},"signatures":${JSON.stringify(signatures)}}`);
    },
  };
}

async function vectorOf(
  { name, plan: change, serve, isStrict = true }: Stated,
  index: number,
  outside: Outside,
): Promise<Vector> {
  const [evil, twin] = await Promise.all(
    (['evil', 'twin'] as const).map(async (side) => {
      const own = `served-${index}-${side}`;
      const gun = `registry.example/served/${own}`;
      const honest = {
        ...plan,
        root: { signers: [await rootOf(gun)] },
        signed: { '1.0': digestFor(own) },
      };
      const files = publish(side === 'evil' ? change(honest) : honest);
      const namespace = userNamespace(outside, own, isStrict ? {} : { 'strict-mode': 'false' });
      const instead = side === 'evil' ? serve : (_: string, served: Served) => served;
      return { namespace, play: playing({ gun, own, files, namespace, instead }) };
    }),
  );
  if (evil === undefined || twin === undefined) throw new Error('nowhere');
  const namespaces = [evil.namespace, twin.namespace];
  return { name, theme: 'served', namespaces, evil: evil.play, twin: twin.play };
}

type Serving = {
  readonly gun: string;
  readonly own: string;
  readonly files: Files;
  readonly namespace: StatedNamespace;
  readonly instead: Stated['serve'];
};

function playing({ gun, own, files, namespace, instead }: Serving): Play {
  return async ({ outside, admit }) => {
    outside.registry.keep(`served/${own}`, '1.0', own);
    outside.notaries.set(own, (asked, file) =>
      asked === gun ? instead(file, files.get(file) ?? 'absent') : 'absent',
    );
    return admit({ namespace, object: podOf(`${gun}:1.0`) });
  };
}
