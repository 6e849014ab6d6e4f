import { describe, expect, it } from 'vitest';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { measuresRecorded } from '#infra/emulator/testing/measures-recorded.ts';
import { documentKeeper } from '#shared/runtime/document-keeper.ts';
import { mapOf, mapTo, noSettings } from '#test/support/boot-document.ts';

const key = 'rt-bootstrapper-config.json';

function stage() {
  const [conditions, measures] = [conditionsRecorded(), measuresRecorded()];
  const keeper = documentKeeper({ settings: noSettings, conditions, measures });
  const measured = () =>
    Object.fromEntries(
      (measures.find('bootstrap_document') ?? []).map(({ labels, value }) => [
        labels['what'],
        value,
      ]),
    );
  const configuration = () => measures.find('bootstrap_document')?.[0]?.labels['configuration'];
  return { conditions, keeper, measured, configuration };
}

describe('what a process says of the document that it goes by', () => {
  it('is a condition that does not hold and a measure while the last good one stands in', () => {
    const { conditions, keeper, measured, configuration } = stage();
    keeper.take(mapTo('one.example'), key);
    expect(conditions.reports.at(-1)).toMatchObject({ name: 'bootstrap-document', holds: true });
    expect(measured()).toMatchObject({ 'in use': 1, problems: 0 });
    const before = configuration();

    keeper.take(mapOf('{'), key);
    expect(conditions.reports.at(-1)).toMatchObject({
      holds: false,
      why: expect.stringContaining('ConfigMap kyma-system/rt-bootstrapper-config cannot be used'),
    });
    expect(measured()).toMatchObject({ 'in use': 1, problems: 1 });
    expect(configuration()).toBe(before);

    keeper.take(mapTo('two.example'), key);
    expect(conditions.reports.at(-1)).toMatchObject({ holds: true });
    expect(configuration()).not.toBe(before);
  });

  it('is that nothing is done to pods where there never was a good one', () => {
    const { conditions, keeper, measured } = stage();
    keeper.take(undefined, key);
    expect(conditions.reports.at(-1)?.why).toContain('nothing is done to pods');
    expect(measured()).toMatchObject({ 'in use': 0, problems: 1 });
  });

  it('is said when it changes, not when the same is read again', () => {
    const { conditions, keeper } = stage();
    const one = keeper.take(mapTo('one.example'), key);
    expect(keeper.take(mapTo('one.example'), key).document).toBe(one.document);
    expect(conditions.reports).toHaveLength(1);
  });
});
