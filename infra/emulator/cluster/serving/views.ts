import { type View, whole } from '../reading/view.ts';
import type { ServedKind } from '../served-kinds.ts';
import { includeOf } from './accepting.ts';
import type { Asking } from './request.ts';
import type { World } from './world.ts';

type Shown = Pick<Asking, 'accepted' | 'query'> & { readonly version: string };

export function viewOf({ accepted, query, version }: Shown, kind: ServedKind, world: World): View {
  if (accepted?.as === 'partial') {
    return { version, shape: { kind: 'partial', form: accepted.version } };
  }
  if (accepted?.as !== 'table') return { version, shape: whole };
  const columns = world.columnsOf(kind, version);
  const form = accepted.version;
  return { version, shape: { kind: 'table', form, include: includeOf(query), columns } };
}
