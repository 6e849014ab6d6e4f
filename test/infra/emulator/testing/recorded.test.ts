import { expect, it } from 'vitest';
import { conditionsRecorded } from '#infra/emulator/testing/conditions-recorded.ts';
import { measuresRecorded } from '#infra/emulator/testing/measures-recorded.ts';

it('keeps every report of a condition, and finds the newest', () => {
  const conditions = conditionsRecorded();
  const lost = { name: 'pool', holds: false, why: 'no node' };
  const found = { name: 'pool', holds: true, why: '' };
  conditions.report(lost);
  conditions.report({ name: 'bundle', holds: true, why: '' });
  conditions.report(found);
  expect(conditions.reports).toHaveLength(3);
  expect(conditions.find('pool')).toEqual(found);
  expect(conditions.find('other')).toBeUndefined();
});

it('lets a report of measures replace all earlier values of that name', () => {
  const measures = measuresRecorded();
  measures.report('pods', [
    { labels: { node: 'a' }, value: 1 },
    { labels: { node: 'b' }, value: 2 },
  ]);
  measures.report('pods', [{ labels: { node: 'b' }, value: 3 }]);
  expect(measures.find('pods')).toEqual([{ labels: { node: 'b' }, value: 3 }]);
  expect(measures.find('nodes')).toBeUndefined();
});
