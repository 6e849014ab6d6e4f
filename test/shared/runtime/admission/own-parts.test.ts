import { describe, expect, it } from 'vitest';
import { areTwins, findOwnParts, textOf } from '#shared/runtime/admission/own-parts.ts';
import { podWith } from '#test/support/admission.ts';
import { first, second, sent } from './recalling/api-server.ts';

const pod = podWith('a:1', 'b:2');
const known = sent(pod);

function partsOf(bytes: Buffer) {
  const parts = findOwnParts(bytes);
  if (parts === undefined) throw new Error('it has no parts of its own');
  return parts;
}

function replaced(from: string | RegExp, to: string): Buffer {
  return Buffer.from(known.toString().replaceAll(from, to));
}

describe('own parts', () => {
  it('are the uid, each mention of the token volume and each time of writing', () => {
    expect(partsOf(known).map((part) => [part.kind, textOf(known, part)])).toEqual([
      ['uid', first.uid],
      ['written-at', first.time],
      ['token-volume', first.token],
      ['token-volume', first.token],
      ['token-volume', first.token],
    ]);
  });

  it.each([
    [
      'a review in the other order of its keys',
      '{"kind":"AdmissionReview",',
      '{"Kind":"AdmissionReview",',
    ],
    ['the older version', 'admission.k8s.io/v1', 'admission.k8s.io/v1beta1'],
    ['a uid of another form', first.uid, first.uid.toUpperCase()],
    ['a token volume by a name that people give', first.token, 'aeiou'],
    ['a token volume whose name goes on', `${first.token}"`, `${first.token}x"`],
    ['a token volume that is named elsewhere', 'a:1', `kube-api-access-${first.token}`],
    ...['labels', 'annotations'].map((map) => [
      `a token volume's name among ${map}`,
      '"metadata":{',
      `"metadata":{"${map}":{"name":"kube-api-access-${first.token}","projected":"{","readOnly":"true"},`,
    ]),
    [
      'a container that is called so',
      '"containers":[',
      `"containers":[{"name":"kube-api-access-${first.token}","image":"a"},`,
    ],
    [
      'two token volumes',
      `"name":"kube-api-access-${first.token}","readOnly"`,
      `"name":"kube-api-access-${second.token}","readOnly"`,
    ],
  ])('are not found in %s', (_, from, to) => {
    expect(findOwnParts(replaced(from, to))).toBeUndefined();
  });

  it('are no times that a person has written', () => {
    const annotated = replaced(
      '"metadata":{',
      `"metadata":{"annotations":{"time":"${first.time}"},`,
    );
    const times = partsOf(annotated).filter(({ kind }) => kind === 'written-at');
    expect(times.map(({ start }) => annotated.indexOf('managedFields') < start)).toEqual([true]);
  });

  it.each<[string, Buffer, boolean]>([
    ['itself', known, true],
    ['another pod of its template', sent(pod, { own: second }), true],
    ['one of another image', sent(podWith('a:2', 'b:2')), false],
    ['one in another namespace of as long a name', sent(pod, { namespace: 'team-b' }), false],
    ['one with more behind it', Buffer.concat([known, Buffer.from(' ')]), false],
    ['one whose uid is none', replaced(first.uid, first.uid.replaceAll('-', '_')), false],
    ['one whose time is none', replaced(first.time, 'x'.repeat(first.time.length)), false],
    ['one whose token volume has another name', replaced(first.token, 'aeiou'), false],
    [
      'one that mounts another volume',
      replaced(
        `"name":"kube-api-access-${first.token}","readOnly"`,
        `"name":"kube-api-access-${second.token}","readOnly"`,
      ),
      false,
    ],
  ])('make twins of a pod and %s: %#', (_, bytes, expected) => {
    expect(areTwins(bytes, known, partsOf(known))).toBe(expected);
  });

  it('make no twin of any other byte', () => {
    const parts = partsOf(known);
    const isOwn = (at: number) => parts.some(({ start, end }) => at >= start && at < end);
    const taken = [...known.keys()].filter((at) => {
      const other = Buffer.from(known);
      other[at] = (other[at] ?? 0) ^ 1;
      return !isOwn(at) && areTwins(other, known, parts);
    });
    expect(taken).toEqual([]);
  });
});
