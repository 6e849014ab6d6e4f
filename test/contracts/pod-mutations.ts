import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRefusal } from '#infra/emulator/cluster/refusal.ts';
import { decoded } from '#infra/emulator/cluster/schemas/decode.ts';
import { builtInSchema } from '#infra/emulator/cluster/schemas/open-schemas.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { type Decoded, type Decoder, decode } from '#shared/domain/decode.ts';
import type { Finding, Judgement } from '#shared/domain/image-trust/judgement.ts';
import { trustRequestOf } from '#shared/domain/image-trust/request.ts';
import { imagesIn } from '#shared/domain/image-trust/slots.ts';
import { trustPod } from '#shared/domain/image-trust/trust-pod.ts';
import { verified } from '#shared/domain/image-trust/verify.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { applyPatch } from '#shared/domain/json-patch.ts';
import { parsePointer, valueAt } from '#shared/domain/json-pointer.ts';
import { newPod } from '#shared/domain/node-affinity/pod.ts';
import { preferPool } from '#shared/domain/node-affinity/prefer.ts';
import { recurring } from '#shared/domain/recurring.ts';
import type { Verdict } from '#shared/domain/verdict.ts';
import { type Case, decided } from '#test/shared/domain/pod-bootstrap/bootstrapping.ts';
import { lost } from '#test/shared/domain/pod-bootstrap/lost.ts';
import { cases, pods } from '#test/shared/domain/pod-bootstrap/random-bootstrap.ts';
import { trusted } from '#test/support/image-trust/judge-stated.ts';

type Mutation = (pod: JsonObject, given: Case) => Verdict;

const { nodeAffinity } = settingsFixed().current();

/** In the order in which the server runs them. */
const mutations: Readonly<Record<string, Mutation>> = {
  'pod-bootstrap': decided,
  'image-trust': verify,
  'node-affinity': (pod) =>
    preferPool(read(newPod, pod), nodeAffinity, { namespace: 'team-a', poolHasNodes: true }),
};

function read<T>(decoder: Decoder<T>, pod: JsonObject): T {
  const result = decode(decoder, pod);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

function verify(pod: JsonObject): Verdict {
  const user = { username: 'somebody', groups: [] };
  const asked = { operation: 'CREATE', subresource: undefined, user } as const;
  const object: Decoded<typeof trustPod> = read(trustPod, pod);
  const request = trustRequestOf({ object, old: undefined, ...asked });
  if (request === undefined) throw new Error('a pod that is made is judged');
  const findings = imagesIn(request.slots).map(foundBefore);
  return verified(request, { findings, isStrict: true, digests: 'pin' });
}

const foundBefore = recurring(findingOf);

/** By what is signed, which no rewriting changes: the last part of the name, and its tag. */
function findingOf(image: string): Finding {
  const [name = ''] = image.split('@');
  const last = name.slice(name.lastIndexOf('/') + 1);
  const signed = last.includes(':') ? last : `${last}:latest`;
  return { image, judgement: judgementBy(hash('sha256', signed)) };
}

function judgementBy(digest: string): Judgement {
  if (/^[0-7]/.test(digest)) return trusted('signed', `sha256:${digest}`);
  if (/^[89ab]/.test(digest)) return { kind: 'untrusted', why: 'not-signed', note: '' };
  return { kind: 'unavailable', why: 'notary', note: '' };
}

/** A mutation that has nothing to change hands on the very object. */
function all(pod: JsonObject, given: Case, order = Object.values(mutations)): JsonObject {
  return order.reduce((before, mutation) => {
    const verdict = mutation(before, given);
    return verdict.kind === 'patch' && verdict.changes.length > 0
      ? applyPatch(before, verdict.changes)
      : before;
  }, pod);
}

/** Names the images as they stood when they were judged; the next pass says it anew. */
const invalidImages = '/metadata/annotations/pods.warden.kyma-project.io~1invalid-images';

function withoutNames(pod: JsonObject): JsonObject {
  const stated = (parsePointer(invalidImages) ?? []).reduce<unknown>(valueAt, pod);
  if (stated === undefined) return pod;
  return applyPatch(pod, [{ op: 'replace', path: invalidImages, value: 'some' }]);
}

/** What all mutations together promise of pods in any state: of each of so many pods, in each of the orders. */
export function podMutationsContract(runs: number): void {
  describe(`all mutations of pods together, on ${runs} random pods`, { timeout: runs * 12 }, () => {
    it('are done when they were done once, in whichever order, lose no field of a user, and fit the schema', () => {
      let changed = 0;
      everyPod(runs, (pod, given) => {
        const once = all(pod, given);
        changed += Number(once !== pod);
        const faults = [
          ...(all(once, given) === once ? [] : ['is changed the second time']),
          ...lost(pod, once).map((path) => `loses ${path}`),
          ...newProblems(pod, once),
          ...inOtherOrders(pod, given).flatMap((each) => differences(once, each, given)),
        ];
        if (faults.length > 0) expect(faults).toEqual([]);
      });
      expect(changed).toBeGreaterThan(runs * 0.8);
    });
  });
}

/** The next pass names the images anew; nothing else may be left for it. */
function differences(usual: JsonObject, [order, pod]: Ordered, given: Case): readonly string[] {
  if (isDeepStrictEqual(pod, usual)) return [];
  const isDone = isDeepStrictEqual(all(pod, given), usual);
  const isSame = isDeepStrictEqual(withoutNames(pod), withoutNames(usual));
  if (isDone && isSame) return [];
  return [`in the order${order} becomes ${JSON.stringify(pod)}, else ${JSON.stringify(usual)}`];
}

/**
 * So many pods, no two of them alike. Reading a document takes longer than deciding by it: a case serves some twenty of
 * them.
 */
function everyPod(numRuns: number, holds: (pod: JsonObject, given: Case) => void): void {
  const given = fc.constantFrom(...fc.sample(cases, Math.ceil(numRuns / 20)));
  const seen = new Set<string>();
  fc.assert(
    fc.property(pods, given, (pod, known) => {
      seen.add(hash('sha1', JSON.stringify(pod)));
      holds(pod, known);
    }),
    { numRuns },
  );
  expect(seen.size).toBeGreaterThan(numRuns * 0.99);
}

/** What a mutation is to blame for: random pods have unknown fields of their own. */
function newProblems(before: JsonObject, after: JsonObject): readonly string[] {
  const problems = problemsOf(after);
  if (problems.length === 0) return [];
  const known = new Set(problemsOf(before));
  return problems.filter((each) => !known.has(each));
}

const schema = builtInSchema({ group: '', version: 'v1', kind: 'Pod' });

/** Of the published schema, as the server decodes: wrong types refused, unknown fields named. */
function problemsOf(pod: JsonObject): readonly string[] {
  if (schema === undefined) throw new Error('there is no schema of a Pod');
  const result = decoded(pod, schema, 'Warn');
  return isRefusal(result) ? [JSON.stringify(result.body)] : result.warnings;
}

type Ordered = readonly [order: string, pod: JsonObject];

/** What orders have in common at their beginning is done once. */
function inOtherOrders(pod: JsonObject, given: Case): readonly Ordered[] {
  const [, ...others] = ordered(['', pod], Object.entries(mutations), given);
  return others;
}

function ordered(
  [order, pod]: Ordered,
  left: readonly (readonly [string, Mutation])[],
  given: Case,
): readonly Ordered[] {
  if (left.length === 0) return [[order, pod]];
  return left.flatMap(([name, mutation]) => {
    const next = [`${order} ${name}`, all(pod, given, [mutation])] as const;
    const rest = left.filter(([other]) => other !== name);
    return ordered(next, rest, given);
  });
}
