import { describe, expect, it } from 'vitest';
import { type MessageKind, setAffected, wakeKinds } from '#events/kinds.ts';
import {
  messageFor,
  objectMessage,
  type Payload,
  periodMessage,
  setMessage,
} from '#events/messages.ts';
import { decode } from '#shared/domain/decode.ts';
import { pods } from '#shared/domain/kind.ts';

const pod = {
  kind: 'object',
  cluster: 'blue',
  group: '',
  resource: 'pods',
  namespace: 'team-a',
  name: 'web-0',
  uid: 'u1',
  deleted: false,
} as const;
const set = { ...pod, kind: 'set', after: '' } as const;
const period = { kind: 'period', function: 'f' } as const;

const keyOf = (payload: Payload) => messageFor('f', payload, 'e1').mergeKey;
const groupOf = (payload: Payload, name = 'f') => messageFor(name, payload, 'e1').group;

describe('a message', () => {
  it('names its function, its cause and its object', () => {
    expect(messageFor('report-strays', pod, 'u1/7/MODIFIED')).toEqual({
      function: 'report-strays',
      group: 'report-strays/blue/pods/team-a/web-0',
      type: 'object.changed.v1',
      body: JSON.stringify(pod),
      eventId: 'u1/7/MODIFIED',
      mergeKey: 'u1/false',
      subject: 'u1',
    });
  });

  it.each<[string, Payload]>([
    ['an object', pod],
    ['a period', period],
    [
      'a set',
      { kind: 'set', cluster: 'c', group: '', resource: 'pods', namespace: 'n', after: '' },
    ],
  ])('of %s is read back as it was written', (_, payload) => {
    const { type, body } = messageFor('f', payload, 'e1');
    const kinds: readonly MessageKind<Payload>[] = [...wakeKinds, setAffected];
    const kind = kinds.find(({ name }) => name === type);
    if (kind === undefined) throw new Error(`nothing decodes ${type}`);
    expect(decode(kind.decoder, JSON.parse(body))).toEqual({ ok: true, value: payload });
  });

  it.each<[string, Payload, Payload, boolean]>([
    ['the same object', pod, { ...pod }, true],
    ['a deletion and a change', pod, { ...pod, deleted: true }, false],
    ['an object and its successor by name', pod, { ...pod, uid: 'u2' }, false],
    ['two pages of a set', set, { ...set, after: 'u1' }, false],
    ['a period twice', period, { ...period }, true],
  ])('of %s is merged or not', (_, one, other, isMerged) => {
    expect(keyOf(one) === keyOf(other)).toBe(isMerged);
  });

  it.each<[string, Payload, Payload, boolean]>([
    ['an object and its deletion', pod, { ...pod, deleted: true }, true],
    ['an object and its successor', pod, { ...pod, uid: 'u2' }, true],
    ['objects of two clusters', pod, { ...pod, cluster: 'green' }, false],
    ['objects of two kinds', pod, { ...pod, group: 'metrics.k8s.io' }, false],
    ['objects of two namespaces', pod, { ...pod, namespace: 'team-b' }, false],
    ['an object of none and one of a namespace', { ...pod, namespace: '' }, pod, false],
    ['a set and an object', set, pod, false],
    ['the pages of a set', set, { ...set, after: 'u1' }, true],
    [
      'a cluster with slashes and without',
      { ...pod, cluster: 'a/pods/b' },
      { ...pod, cluster: 'a' },
      false,
    ],
  ])('%s run one after another or side by side', (_, one, other, isSame) => {
    expect(groupOf(one) === groupOf(other)).toBe(isSame);
  });

  it('has a group of its own for each function', () => {
    expect(groupOf(pod, 'f')).not.toBe(groupOf(pod, 'g'));
    expect(groupOf(period, 'f')).not.toBe(groupOf(period, 'g'));
  });

  it('is made of a kind and a place as well', () => {
    const from = { function: 'f', cluster: 'blue', eventId: 'e1' };
    expect(objectMessage(from, pods, pod)).toEqual(messageFor('f', pod, 'e1'));
    expect(setMessage(from, pods, set)).toEqual(
      messageFor(
        'f',
        {
          kind: 'set',
          cluster: 'blue',
          group: '',
          resource: 'pods',
          namespace: 'team-a',
          after: '',
        },
        'e1',
      ),
    );
    expect(periodMessage('f')).toEqual(messageFor('f', period, 'f/period'));
  });
});
