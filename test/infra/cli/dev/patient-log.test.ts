import { expect, it } from 'vitest';
import { patientLog } from '#infra/cli/dev/patient-log.ts';

function kept() {
  const told: string[] = [];
  const tell = (fields: object, message: string) => void told.push(`${message} ${fields}`);
  const note = (fields: Readonly<Record<string, unknown>>, message: string) =>
    tell({ toString: () => String(fields['condition'] ?? fields['why']) }, message);
  return { told, ...patientLog({ debug: note, info: note, warn: note, error: note }) };
}

it('what has mended itself by the time that all is ready is not told', () => {
  const { told, log, impatient } = kept();
  log.error({ condition: 'certificate' }, 'broken');
  log.error({ condition: 'pool' }, 'broken');
  log.info({ condition: 'certificate' }, 'whole');
  expect(told).toEqual([]);
  impatient();
  expect(told).toEqual(['broken pool']);
});

it('from then on each condition is told at once, and that it holds again', () => {
  const { told, log, impatient } = kept();
  impatient();
  log.error({ condition: 'certificate' }, 'broken');
  log.info({ condition: 'certificate' }, 'whole');
  expect(told).toEqual(['broken certificate', 'whole certificate']);
});

it('an error that is no condition is never held back', () => {
  const { told, log } = kept();
  log.error({ why: 'of itself' }, 'broken');
  expect(told).toEqual(['broken of itself']);
});

it('of what ends no condition is told, and whatever else goes wrong is', () => {
  const { told, log, impatient, ending } = kept();
  log.error({ condition: 'pool' }, 'broken');
  ending();
  impatient();
  log.error({ condition: 'forwarder' }, 'broken');
  log.error({ why: 'of itself' }, 'broken');
  expect(told).toEqual(['broken of itself']);
});
