import { afterAll, beforeEach, describe } from 'vitest';
import { knownKinds } from '#infra/emulator/world/known-kinds.ts';
import { apiServer } from '#infra/emulator/world/memory/api-server.ts';
import { askOn } from '#infra/emulator/world/memory/asking.ts';
import { openRules } from '#infra/emulator/world/memory/rules.ts';
import { streamOn } from '#infra/emulator/world/memory/stream.ts';
import { watchesOn } from '#infra/emulator/world/memory/watch.ts';
import { inventedTime } from '#infra/emulator/world/time.ts';
import { namespaces } from '#shared/domain/kind.ts';
import { compactionContract } from '../../../contracts/list-watch/compacted.ts';
import { listContract } from '../../../contracts/list-watch/lists.ts';
import { lookContract } from '../../../contracts/list-watch/looks.ts';
import { freshNamespace, type Place } from '../../../contracts/list-watch/place.ts';
import { selectedContract } from '../../../contracts/list-watch/selected.ts';
import { streamedContract } from '../../../contracts/list-watch/streamed.ts';
import { watchContract } from '../../../contracts/list-watch/watches.ts';

const time = inventedTime(Date.now());
const server = apiServer(knownKinds([]), time);
const rules = openRules();
const ask = askOn({ server, rules, time, held: (work) => work });
const stream = streamOn(ask, watchesOn(server, time), rules);
// A test's patience is of the true clock, which is slower.
const ticking = setInterval(() => time.to(time.now() + 100), 10);
await server.objects.create(namespaces, {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'kube-system' },
});

afterAll(() => clearInterval(ticking));

/** What it need not have, since production's adapters, which stand in front of it, or functions never meet it there; a title that holds after all fails. */
const differences: readonly string[] = [
  // All of it is one page: what lists in pages must stand is tried on the emulated cluster.
  'comes in pages of the size that is asked for, the last one without a continuation',
  'can go on with pages of another size',
  'says how many bytes a page took',
  'fills the pages of a selection',
  'is refused with a continuation that is none',
  'stays that of its first page',
  'has no second page of a list any more, says so, and has a new list',
  // Nobody asks but ourselves.
  'is refused to a stranger',
  'tells no stranger',
  'is nothing that a stranger learns',
  'of a stranger is forbidden',
  // Whom it does not know it is not asked about: each kind is asked for in the one version that functions name.
  'is refused for a resource that its group lacks',
  'is refused for a version that is not served',
  'is refused for a field that nobody selects by',
  'is refused for a selector that is none',
  'tells an object that is gone from a kind that is',
  'of a kind that nobody serves is absent',
  'of a resource that its group lacks is absent',
  'of a version that is not served is absent',
  'by a selector that is none is unsupported',
  'waits for a version that is not there yet, and then says so',
  // It comes by a watch that is no request.
  'is refused where it does not say how old it may be',
  'of a version that is not there yet ends with an error',
  'that is declined tells nothing of what is there, from any version on',
];

beforeEach(({ task }) => {
  if (differences.includes(task.name)) Object.assign(task, { fails: true });
});

async function open(): Promise<Place> {
  const place = { stream, stranger: stream, ask, namespace: '', shortSeconds: 0.1 };
  return { ...place, namespace: await freshNamespace(place) };
}

/** All of the contract but for custom resources: here they have one version, and no life of their own. */
describe('the world in memory', () => {
  listContract(open);
  lookContract(open);
  watchContract(open);
  selectedContract(open);
  streamedContract(open);
});

compactionContract('the world in memory', { open, compact: async () => server.compact() });
