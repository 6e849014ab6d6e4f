import { decode, dictionary, optional, record, text } from '#shared/domain/decode.ts';
import type { Ask, Reply } from '#shared/domain/image-trust/tuf/asking.ts';
import type { Attack } from '#test/support/tuf/attack.ts';
import { delegateAttacks } from '#test/support/tuf/attacks/delegates.ts';
import { ownerAttacks } from '#test/support/tuf/attacks/owners.ts';
import { rootAttacks } from '#test/support/tuf/attacks/roots.ts';
import { serverAttacks } from '#test/support/tuf/attacks/servers.ts';
import type { Files } from '#test/support/tuf/publish.ts';
import { evilDigest, filesSeen, goodDigest, gun, type Scene } from '#test/support/tuf/scene.ts';
import { userNamespace } from './namespaces.ts';
import type { Notary, Outside, Served } from './outside.ts';
import { podOf } from './pod.ts';
import type { Play, StatedNamespace, Vector } from './vector.ts';

/** The attacks on the Notary client, played by a server: each has a Notary and a namespace of its own, and so have the twins. */
export function tufVectors(outside: Outside): readonly Vector[] {
  return [...delegateAttacks, ...ownerAttacks, ...rootAttacks, ...serverAttacks]
    .filter(isPlayable)
    .map((attack, index) => vectorOf(attack, index, outside));
}

/**
 * What a server can play and a pod can ask. Left out: other settings of the client, a clock that moves, ends within a
 * second of now, what was kept without having been shown, and digests that are not served: the honest files are known
 * from the vectors before, and who knows them needs no server. `served-vectors.ts` has these in files of their own.
 */
function isPlayable({ name, evil, benign }: Attack): boolean {
  const isOfServer = [evil, benign].every(
    ({ trust = {} }) => !['roles', 'limits', 'now', 'pins'].some((key) => key in trust),
  );
  const isShown = [evil, benign].every(
    ({ trust: { anchor } = {} }) => anchor === undefined || filesSeen(anchor) !== undefined,
  );
  return isOfServer && isShown && !unplayable.test(name);
}

const unplayable =
  /that has expired|beginning that is to come|instead of the (?:snapshot|targets)|that is withheld$|the old targets with|with other bytes/;

function vectorOf({ name, evil, benign }: Attack, index: number, outside: Outside): Vector {
  const sides = { evil: `tuf-${index}-evil`, twin: `tuf-${index}-twin` };
  const evilPlace = userNamespace(outside, sides.evil);
  const twinPlace = userNamespace(outside, sides.twin);
  return {
    name,
    theme: 'tuf',
    namespaces: [evilPlace, twinPlace],
    evil: playing(evil, evilPlace, sides.evil),
    twin: playing(benign, twinPlace, sides.twin),
  };
}

/** Whoever is to have seen something asks once for what is not there: the root is kept, and no verdict on the image. */
function playing(scene: Scene, namespace: StatedNamespace, notary: string): Play {
  return async ({ outside, admit }) => {
    const { anchor } = scene.trust ?? {};
    const seen = anchor === undefined ? undefined : filesSeen(anchor);
    if (seen !== undefined) {
      outside.notaries.set(notary, serving({ files: seen }));
      await admit({ namespace, object: podOf(`${gun}:0.0@${goodDigest}`) });
    }
    outside.notaries.set(notary, serving(scene));
    return admit({ namespace, object: podOf(imageOf(scene)) });
  };
}

/** With the digest that the evil files name, so that nothing but the proof stands against it. */
function imageOf({ files, wanted = {} }: Scene): string {
  const { tag = 'tag' in wanted ? undefined : '1.0', digests = [] } = wanted;
  const digest = digests[0] ?? digestIn(files, tag) ?? goodDigest;
  return `${gun}${tag === undefined ? '' : `:${tag}`}@${digest}`;
}

const hashed = record({
  signed: record({
    targets: optional(
      dictionary(record({ hashes: optional(record({ sha256: optional(text, '') })) })),
      {},
    ),
  }),
});

function digestIn(files: Files, tag: string | undefined): string | undefined {
  const named = [...files].flatMap(([name, bytes]) => {
    if (!name.startsWith('targets')) return [];
    const read = decode(hashed, parsed(bytes));
    const target = read.ok && tag !== undefined ? read.value.signed.targets[tag] : undefined;
    const hex = Buffer.from(target?.hashes?.sha256 ?? '', 'base64').toString('hex');
    return [goodDigest, evilDigest].filter((digest) => digest === `sha256:${hex}`);
  });
  return named[0];
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

function serving({ files, instead }: Scene): Notary {
  return (asked, file): Served => {
    if (asked !== gun) return 'absent';
    const ask = askFor(file);
    const reply = ask === undefined ? undefined : instead?.(ask);
    return reply === undefined ? (files.get(file) ?? 'absent') : servedBy(reply);
  };
}

function servedBy(reply: Reply): Served {
  switch (reply.kind) {
    case 'file':
      return reply.bytes;
    case 'too-large':
      return 'endless';
    case 'absent':
      return 'absent';
    case 'failed':
      return 'broken';
  }
}

/** What the client asked for, by the name of the file. */
function askFor(file: string): Ask | undefined {
  const versioned = /^(\d+)\.root\.json$/.exec(file);
  const hashedName = /^(.+)\.([0-9a-f]{64})\.json$/.exec(file);
  const latest = /^(.+)\.json$/.exec(file);
  const maxBytes = 0;
  if (versioned !== null) {
    return { role: 'root', at: { kind: 'version', version: Number(versioned[1]) }, maxBytes };
  }
  if (hashedName !== null) {
    const [, role = '', sha256 = ''] = hashedName;
    return { role, at: { kind: 'digest', sha256 }, maxBytes };
  }
  return latest === null ? undefined : { role: latest[1] ?? '', at: { kind: 'latest' }, maxBytes };
}
