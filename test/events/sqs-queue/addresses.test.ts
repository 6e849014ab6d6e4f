import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  deadQueueName,
  deduplicationId,
  groupId,
  prefixIn,
  queueName,
  unnameable,
} from '#events/sqs-queue/addresses.ts';

const taken = /^[A-Za-z0-9!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]{1,128}$/;

describe('the id of a group', () => {
  it.each([
    ['short', 'follow-pool/prod/pods/team-a/web-0'],
    ['of 128 characters', 'x'.repeat(128)],
  ])('is the group itself where that is %s', (_, group) => {
    expect(groupId(group)).toBe(group);
  });

  it.each([
    ['129 characters', 'x'.repeat(129)],
    ['1,000 characters', 'follow-pool/'.repeat(83)],
    ['a space', 'a b'],
    ['a letter that SQS does not take', 'größe'],
    ['an emoji', '🦊'],
    ['a line break', 'a\n'],
    ['nothing', ''],
  ])('is one that SQS takes for %s', (_, group) => {
    expect(groupId(group)).toMatch(taken);
  });

  it('begins as the group does', () => {
    expect(groupId(`follow-pool/prod/${'x'.repeat(500)}`)).toMatch(/^follow-pool\/prod\/x+~/);
  });

  it('is another one for each group that it was made for', () => {
    const groups = ['a', 'b'].flatMap((end) => [`${'x'.repeat(200)}${end}`, `ö${end}`, `o ${end}`]);
    expect(new Set(groups.map(groupId)).size).toBe(groups.length);
  });
});

describe('the id that SQS knows duplicates by', () => {
  it.each(['row-1', '!~', 'x'.repeat(128)])('is the id itself where SQS takes that: %s', (id) => {
    expect(deduplicationId(id)).toBe(id);
  });

  it('is one that SQS takes, and another one for each, where the id is too long or odd', () => {
    const ids = ['', 'a b', 'ö', 'a\n', '🦊', `${'x'.repeat(129)}a`, `${'x'.repeat(129)}b`];
    const made = ids.map(deduplicationId);
    for (const each of made) expect(each).toMatch(taken);
    expect(new Set(made).size).toBe(ids.length);
  });
});

describe('the names of the queues', () => {
  it('are those of the rendered deployment', () => {
    const rendered = readFileSync('serverless.yml', 'utf8');
    const names = [...rendered.matchAll(/QueueName: (\S+)/g)].map(([, name]) => name);
    const functions = [...rendered.matchAll(/QueueName: gatehouse-\S+?\}-(\S+)-dead\.fifo/g)];
    const prefix = `gatehouse-$\{sls:stage}`;
    const expected = functions.flatMap(([, name = '']) => [
      queueName(prefix, name),
      deadQueueName(prefix, name),
    ]);
    expect(names.toSorted()).toEqual(expected.toSorted());
    expect(functions.length).toBeGreaterThan(0);
  });
});

describe('prefixIn', () => {
  it.each([
    ['arn:aws:sqs:eu-central-1:123456789012:gatehouse-blue-follow-pool.fifo', 'gatehouse-blue'],
    ['arn:aws:sqs:eu-central-1:123456789012:gatehouse-blue-follow-pool-dead.fifo', undefined],
    ['arn:aws:sqs:eu-central-1:123456789012:gatehouse-blue-report-strays.fifo', undefined],
    ['arn:aws:sqs:eu-central-1:123456789012:follow-pool.fifo', undefined],
    ['arn:aws:sqs:eu-central-1:123456789012:-follow-pool.fifo', undefined],
    ['arn:aws:sqs:eu-central-1:123456789012:my-own-queue', undefined],
    ['', undefined],
  ])('has of %j the prefix %j', (arn, prefix) => {
    expect(prefixIn(arn, 'follow-pool')).toBe(prefix);
  });
});

describe('the queues of all functions', () => {
  const longest = 'x'.repeat(80 - 'gatehouse-dev--dead.fifo'.length);

  it.each([
    ['names that fit, with their dead letters', [longest, 'follow-pool', 'dead'], undefined],
    ['one that is a character too long', [`${longest}x`], /longer than the 80 characters/],
    [
      'one that is named as another one’s dead letters',
      ['sweep-dead', 'sweep'],
      /what sweep buries would wake sweep-dead/,
    ],
  ])('are for %s', (_, functions, why) => {
    const found = unnameable('gatehouse-dev', functions);
    if (why === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(why);
  });
});
