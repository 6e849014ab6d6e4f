import { describe, expect, it } from 'vitest';
import { readLines } from '#events/forwarder/lines.ts';
import type { Line } from '#shared/domain/watched.ts';
import { pod } from './builders.ts';

const changed = (version: number): Line => ({
  kind: 'change',
  type: 'MODIFIED',
  object: pod({ version }),
});
const bookmark: Line = { kind: 'bookmark', resourceVersion: '9', isInitialEnd: false };
const named: Line = { kind: 'oversized', namespace: 'team-a', name: 'web', bytes: 17 };
const nameless: Line = { kind: 'oversized', namespace: undefined, name: undefined, bytes: 17 };
const garbled: Line = { kind: 'garbled', why: 'not JSON' };

describe('readLines', () => {
  it('moves the cursor to the last line that has a version', () => {
    expect(readLines([changed(3), bookmark, named]).resourceVersion).toBe('9');
  });

  it('reads nothing behind a line that it cannot read', () => {
    const read = readLines([changed(3), garbled, changed(4)]);
    expect(read).toMatchObject({ resourceVersion: '3', refused: 'not JSON' });
    expect(read.seen).toHaveLength(1);
  });

  it('asks for an object by itself where its line was too long', () => {
    expect(readLines([named]).unread).toEqual([{ namespace: 'team-a', name: 'web' }]);
  });

  it('asks for a whole comparison where the line names no object', () => {
    expect(readLines([nameless]).refused).toBe('a line of 17 bytes names no object');
  });

  it('refuses an object without a uid: nothing could tell it from its successor', () => {
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } };
    expect(readLines([{ kind: 'change', type: 'ADDED', object }]).refused).toBe(
      'an object without uid or resourceVersion',
    );
  });
});
