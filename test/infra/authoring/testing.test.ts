import { expect, it } from 'vitest';
import * as kit from '#infra/authoring/testing.ts';
import type { Ports } from '#shared/ports.ts';

/** A new port is a type error here, until whoever tests a function of his own has something to put in its place. */
const standIns: Readonly<Record<keyof Ports, keyof typeof kit>> = {
  clock: 'clockAt',
  settings: 'settingsFixed',
  namespaces: 'namespacesInMemory',
  nodes: 'nodesInMemory',
  bootstrapDocument: 'bootstrapDocumentsInMemory',
  cluster: 'clusterInMemory',
  mirror: 'mirrorInMemory',
  conditions: 'conditionsRecorded',
  measures: 'measuresRecorded',
  events: 'eventsRecorded',
  restarts: 'restartsInMemory',
  // A world has the real ones, which ask nobody.
  certificates: 'emulate',
  // A world is given the judge, by its `images`.
  images: 'emulate',
};

it.each(Object.entries(standIns))('has a stand-in for the port %s: %s', (_, name) => {
  expect(kit).toHaveProperty(name, expect.any(Function));
});
