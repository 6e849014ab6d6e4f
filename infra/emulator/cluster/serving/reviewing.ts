import type { OpenedAccess } from '../access/open-access.ts';
import { questioning, through, warned } from '../pipeline/steps.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import { idOf, type ServedKind } from '../served-kinds.ts';
import { bytesOf } from './body.ts';
import type { Beside } from './handling.ts';
import { type Answer, type Asked, type World, warningHeaders } from './world.ts';
import { objectOfBody, writeOf } from './writes.ts';

/** Kinds that are only questions: nothing is stored of them. */
export function reviews(access: OpenedAccess, world: World): Beside {
  return (asking, { request, user }) => {
    const { route, verb } = asking;
    const of = route.kind === 'resource' ? world.store.collections.get(idOf(route)) : undefined;
    if (
      route.kind !== 'resource' ||
      of === undefined ||
      verb !== 'create' ||
      !isQuestion(of.kind)
    ) {
      return Promise.resolve(undefined);
    }
    const userAgent = request.headers['user-agent'];
    return reviewed(
      { ...asking, route, of, user, userAgent, body: () => bytesOf(request) },
      { access, world },
    );
  };
}

/** People may call kinds of their own so, and keep them. */
function isQuestion({ isCustom, resource }: ServedKind): boolean {
  return !isCustom && resource.endsWith('reviews');
}

type By = { readonly access: OpenedAccess; readonly world: World };

async function reviewed(asked: Asked, { access, world }: By): Promise<Answer | Refusal> {
  const write = writeOf(asked, world);
  if (isRefusal(write)) return write;
  const sent = await objectOfBody(asked);
  if (isRefusal(sent)) return sent;
  const { object, duplicates } = sent;
  const first = { object, before: undefined, warnings: [] };
  const draft = await through(questioning, first, { ...write, duplicates });
  if (isRefusal(draft)) return draft;
  const answer = access.reviewed(draft.object, asked.user);
  if (isRefusal(answer)) return warned(answer, draft.warnings);
  return { code: 201, body: answer, headers: warningHeaders(draft.warnings) ?? {} };
}
