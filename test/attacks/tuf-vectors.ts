import { isDeepStrictEqual } from 'node:util';
import { decode, dictionary, optional, record, text } from '#shared/domain/decode.ts';
import type { Ask, Reply } from '#shared/domain/image-trust/tuf/asking.ts';
import { usualRoles } from '#shared/domain/image-trust/tuf/trust.ts';
import type { Attack } from '#test/support/tuf/attack.ts';
import { delegateAttacks } from '#test/support/tuf/attacks/delegates.ts';
import { endingAttacks } from '#test/support/tuf/attacks/endings.ts';
import { ownerAttacks } from '#test/support/tuf/attacks/owners.ts';
import { rootAttacks } from '#test/support/tuf/attacks/roots.ts';
import { serverAttacks } from '#test/support/tuf/attacks/servers.ts';
import type { Files } from '#test/support/tuf/publish.ts';
import { evilDigest, filesSeen, goodDigest, gun, type Scene } from '#test/support/tuf/scene.ts';
import { userNamespace } from './namespaces.ts';
import type { Notary, Outside, Served } from './outside.ts';
import { podOf } from './pod.ts';
import { toldElsewhere } from './told-elsewhere.ts';
import type { Play, StatedNamespace, Vector } from './vector.ts';

/** As `settingsFor` has them: those of the client, and one more that a delegate may give. */
export const acceptedRoles = ['targets/releases/nightly', ...usualRoles];

export const tufAttacks: readonly Attack[] = [
  ...delegateAttacks,
  ...endingAttacks,
  ...ownerAttacks,
  ...rootAttacks,
  ...serverAttacks,
];

/** The attacks on the Notary client, played by a server: each has a Notary and a namespace of its own, and so have the twins. */
export function tufVectors(outside: Outside): readonly Vector[] {
  const played = tufAttacks.filter(({ name }) => !(name in toldElsewhere));
  for (const { name, evil, benign } of played) {
    if (!isPlayable(evil) || !isPlayable(benign)) throw new Error(`no server can play ${name}`);
  }
  return played.map((attack, index) => vectorOf(attack, index, outside));
}

/** By a server, to a target with these settings and today's clock, that knows only what it was shown. */
function isPlayable({ trust = {} }: Scene): boolean {
  const { roles, anchor } = trust;
  if (['limits', 'now', 'pins'].some((key) => key in trust)) return false;
  if (roles !== undefined && !isDeepStrictEqual(roles, acceptedRoles)) return false;
  return anchor === undefined || filesSeen(anchor) !== undefined;
}

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
    const seen = anchor === undefined ? [] : (filesSeen(anchor) ?? []);
    for (const [at, files] of seen.entries()) {
      outside.notaries.set(notary, serving({ files }));
      await admit({ namespace, object: podOf(`${gun}:0.${at}@${goodDigest}`) });
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
