import { describe, expect, it } from 'vitest';
import type { Wake } from '#events/kinds.ts';
import followBootstrapDocument from '#functions/pod-bootstrap/follow-bootstrap-document.ts';
import { bootstrapDocumentsInMemory } from '#infra/emulator/testing/bootstrap-documents-in-memory.ts';
import { eventsRecorded } from '#infra/emulator/testing/events-recorded.ts';
import { type Partly, settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { Json } from '#shared/domain/json.ts';
import { configMaps } from '#shared/domain/kind.ts';
import { done } from '#shared/domain/outcome.ts';
import { featureKeys } from '#shared/domain/pod-bootstrap/feature.ts';
import type { Settings } from '#shared/domain/settings.ts';
import type { BootstrapDocuments } from '#shared/ports.ts';
import { runOnce } from '#shared/runtime/reconcile.ts';
import { running } from '#test/support/running.ts';

const written: Wake = {
  kind: 'object',
  cluster: 'default',
  group: '',
  resource: 'configmaps',
  namespace: 'kyma-system',
  name: 'rt-bootstrapper-config',
  uid: 'uid-of-the-document',
  deleted: false,
};
const period: Wake = { kind: 'period', function: 'follow-bootstrap-document' };
const good = { overrides: {}, availableFeatures: [...featureKeys] };

/** One run through the loop, and the Events that it leaves. */
async function eventsAfter(
  bootstrapDocument: BootstrapDocuments,
  { wake = written, settings = {} }: { wake?: Wake; settings?: Partly<Settings> } = {},
) {
  const events = eventsRecorded();
  const at = running({ events, bootstrapDocument, settings: settingsFixed(settings) });
  expect(await runOnce(followBootstrapDocument, wake, at)).toEqual(done);
  return events.list();
}

function reading(...documents: readonly Json[]): BootstrapDocuments {
  const memory = bootstrapDocumentsInMemory();
  for (const document of documents) memory.write(document);
  return memory;
}

describe('follow-bootstrap-document', () => {
  it('says on the ConfigMap what is wrong, and what counts instead', async () => {
    expect(await eventsAfter(reading(good, '{'))).toMatchObject([
      {
        regarding: {
          kind: configMaps,
          namespace: 'kyma-system',
          name: 'rt-bootstrapper-config',
          uid: 'uid-of-the-document',
        },
        type: 'Warning',
        reason: 'BootstrapDocumentRefused',
        note: expect.stringMatching(/no JSON object; the last good document counts$/),
      },
    ]);
    const [first] = await eventsAfter(reading('{'));
    expect(first?.note).toContain('nothing is done to pods');
  });

  it('says what is doubtful in a document that counts', async () => {
    expect(await eventsAfter(reading({ ...good, ourOwn: 1 }))).toMatchObject([
      { reason: 'BootstrapDocumentDoubtful', note: expect.stringContaining('$.ourOwn') },
    ]);
  });

  it.each<[string, Parameters<typeof eventsAfter>]>([
    [
      'of a good document',
      [reading({ overrides: {}, availableFeatures: featureKeys.slice(0, 1) })],
    ],
    ['where no ConfigMap is', [bootstrapDocumentsInMemory()]],
    ['each minute', [reading('{'), { wake: period }]],
    [
      'where our own settings hold the document',
      [
        reading('{'),
        { settings: { podBootstrap: { document: { availableFeatures: [...featureKeys] } } } },
      ],
    ],
  ])('writes no Event %s', async (_, given) => {
    expect(await eventsAfter(...given)).toEqual([]);
  });
});
