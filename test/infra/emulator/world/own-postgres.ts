import { once } from 'node:events';
import { emulate } from '#infra/emulator/world/emulate.ts';
import { defineAdmission } from '#shared/define.ts';
import { anything } from '#shared/domain/decode.ts';
import { deny } from '#shared/domain/verdict.ts';
import { fileOf, note } from './mistakes.ts';

/** A world of the real parts to which no database is given, and what its test is told of it. */
const forbidAll = defineAdmission({
  name: 'forbid-all',
  capability: 'samples',
  phase: 'validate',
  trigger: { resources: ['pods'], operations: ['CREATE'] },
  schema: anything,
  uses: [],
  deadlineMs: 1_000,
  onFailure: 'deny',
  handler: () => deny('there is no room'),
});
const functions = [fileOf('stamp-note', 'mended/'), forbidAll];
const world = await emulate({ parts: 'real', functions, objects: note('first', 'there') });
const say = (what: unknown) => console.log(JSON.stringify(what));

await world.settle();
await world.apply(note('first', 'changed'));
await world.settle();
const found = await world.find('ConfigMap notes/first');
const spec = { containers: [{ name: 'main', image: 'web:1' }] };
const metadata = { name: 'web', namespace: 'notes' };
const { verdict } = await world.admit({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
const decisions = world.decisions().map((each) => each.function);
say({ stamped: found?.metadata.annotations, verdict, decisions: [...new Set(decisions)] });

await once(process.stdin, 'data');
process.stdin.destroy();
await world.close();
say('closed');
