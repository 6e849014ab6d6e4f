import { describe, expect, it } from 'vitest';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { defineAdmission, defineReconcile } from '#shared/define.ts';
import { anything } from '#shared/domain/decode.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { done } from '#shared/domain/outcome.ts';
import { resolvePlace } from '#shared/domain/place.ts';
import { allow } from '#shared/domain/verdict.ts';
import { misfitsIn } from '#shared/runtime/misfits.ts';

const place = {
  namespace: { setting: 'custom.sweep.namespace', fallback: 'default' },
  name: { setting: 'custom.sweep.name', fallback: 'one' },
};

const sweep = defineReconcile({
  name: 'sweep',
  capability: 'samples',
  trigger: {
    watch: [{ of: configMaps, place }],
    everySeconds: { setting: 'custom.sweep.everySeconds', fallback: 60 },
  },
  uses: ['cluster'],
  access: [{ kind: configMaps, names: ['two', place.name], verbs: ['get'] }],
  deadlineMs: 1_000,
  handler: () => done,
});

const guard = defineAdmission({
  name: 'guard',
  capability: 'samples',
  phase: 'validate',
  trigger: {
    resources: ['pods'],
    operations: ['CREATE'],
    namespaceSelector: { setting: 'custom.guard.selector', fallback: {} },
    object: { ...place, name: { setting: 'custom.guard.name', fallback: 'one' } },
  },
  schema: anything,
  uses: [],
  onFailure: { setting: 'custom.guard.onFailure', fallback: 'deny' },
  deadlineMs: 1_000,
  handler: () => allow(),
});

function misfits(custom: Record<string, unknown>) {
  return misfitsIn({ definitions: [guard, sweep] }, settingsFixed({ custom }).current());
}

describe('misfits', () => {
  it('are none where nothing is said, or what is said can be used', () => {
    expect(misfits({})).toEqual([]);
    const said = { everySeconds: 604_800, namespace: 'team-a', name: 'system:node' };
    const selector = { matchLabels: { team: 'blue' } };
    expect(misfits({ sweep: said, guard: { selector, onFailure: 'deny' } })).toEqual([]);
  });

  it.each([
    [{ sweep: { everySeconds: null } }, 'sweep: custom.sweep.everySeconds: expected a number'],
    [{ sweep: { everySeconds: '60s' } }, 'found "60s"; 60 is used'],
    [{ sweep: { everySeconds: 0 } }, 'expected at least 1, found 0; 60 is used'],
    [{ guard: { name: '' } }, 'guard: custom.guard.name: expected an object\'s name, found "";'],
    [
      { guard: { onFailure: 'maybe' } },
      'guard: custom.guard.onFailure: expected one of allow-with',
    ],
    [
      { guard: { selector: { team: 'blue' } } },
      'guard: custom.guard.selector.team: there is no such key',
    ],
  ])('name function, path and value: %j', (custom, why) => {
    expect(misfits(custom)).toEqual([expect.stringContaining(why)]);
  });

  it.each([[null], [5], [{}], ['a/b,c'], [''], ['..'], ["a'b"]])('of a place %j', (name) => {
    const custom = { sweep: { name } };
    const why = 'sweep: custom.sweep.name: expected';
    expect(misfits(custom)).toEqual([expect.stringContaining(why)]);
    expect(resolvePlace(place, settingsFixed({ custom }).current())).toEqual({
      namespace: 'default',
      name: 'one',
    });
  });
});
