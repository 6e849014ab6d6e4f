import type { ServerResponse } from 'node:http';
import { unkeyable } from '../pipeline/key-name.ts';
import { pageOf, textOfPage } from '../reading/listing.ts';
import { listOptionsOf, unparsed } from '../reading/options.ts';
import { isNarrowing, selecting } from '../reading/selecting.ts';
import { textOf } from '../reading/view.ts';
import { yesOrNo } from '../reading/yes-or-no.ts';
import { ahead, badRequest, isRefusal, notFound, type Refusal, refusal } from '../refusal.ts';
import { keyOf } from '../store/stored.ts';
import { insteadOf, serveWatch, type Watch } from '../watching/watching.ts';
import { warningOf } from './deprecations.ts';
import { requestId } from './sending.ts';
import { viewOf } from './views.ts';
import type { Answer, Asked, World } from './world.ts';

const noExport = 'the export parameter, deprecated since v1.14, is no longer supported';

export async function got(
  { of, route, query, ...asked }: Asked,
  world: World,
): Promise<Answer | Refusal> {
  const { name = '', namespace, version } = route;
  if (query.get('export') === 'true') return badRequest(noExport);
  const wanted = query.get('resourceVersion') ?? '';
  if (!/^\d*$/.test(wanted)) return refusal(500, { message: unparsed(wanted) });
  const no = unkeyable(name);
  if (no !== undefined) return no;
  const { revision } = world.around;
  if (/^\d+$/.test(wanted) && Number(wanted) > revision()) return ahead(Number(wanted), revision());
  const stored = of.find(keyOf(namespace, name));
  if (stored === undefined) return notFound({ ...of.kind, name });
  const view = viewOf({ ...asked, query, version }, of.kind, world);
  const shown = await (world.conversionOf?.(of.kind, version)?.shown([stored]) ?? [stored]);
  if (isRefusal(shown)) return shown;
  return { code: 200, body: textOf(shown[0] ?? stored, of.kind, view) };
}

export async function list(asked: Asked, world: World): Promise<Answer | Refusal> {
  const { of, query, route } = asked;
  const stated = listOptionsOf(query);
  if (isRefusal(stated)) return stated;
  const options = isOfOneName(query) ? { ...stated, limit: 0 } : stated;
  const selects = selecting({ kind: of.kind, namespace: route.namespace, query });
  if (isRefusal(selects)) return selects;
  const isNarrowed = isNarrowing(query);
  const page = pageOf({
    ...{ of, selects, options, isNarrowed, namespace: route.namespace },
    revision: world.around.revision(),
  });
  if (isRefusal(page)) return page;
  const conversion = world.conversionOf?.(of.kind, route.version);
  const objects = conversion === undefined ? page.objects : await conversion.shown(page.objects);
  if (isRefusal(objects)) return objects;
  const view = viewOf({ ...asked, version: route.version }, of.kind, world);
  return { code: 200, body: textOfPage({ ...page, objects }, of.kind, view) };
}

/** What is selected by its name has no pages. */
function isOfOneName(query: URLSearchParams): boolean {
  return /(^|,)metadata\.name==?[^,=]/.test(query.get('fieldSelector') ?? '');
}

/** The answer goes on by itself. */
export function watch(asked: Asked, world: World, response: ServerResponse): Refusal | undefined {
  const { of, query, route } = asked;
  const options = listOptionsOf(query);
  const from = fromOf(query, world.around.revision());
  const selects = selecting({ kind: of.kind, namespace: route.namespace, query });
  if (isRefusal(from)) return from;
  if (isRefusal(options)) return options;
  if (isRefusal(selects)) return selects;
  const bookmarks = yesOrNo(query, 'allowWatchBookmarks') === true;
  const followed: Watch = {
    ...{ of, selects, from, bookmarks },
    notOlderThan: Number(query.get('resourceVersion') ?? 0),
    view: viewOf({ ...asked, version: route.version }, of.kind, world),
    endsInitial: bookmarks && yesOrNo(query, 'sendInitialEvents') === true,
    timeoutMs: timeoutOf(query),
    user: asked.user.name,
    conversion: world.conversionOf?.(of.kind, route.version),
  };
  const no = insteadOf(followed, world.around);
  if (no?.shape === 'status') return no.refusal;
  response.setHeader('audit-id', requestId(asked));
  const deprecation = world.deprecationOf?.(of.kind, route.version);
  if (deprecation !== undefined) response.setHeader('warning', warningOf(deprecation));
  serveWatch(response, followed, world.around);
  return undefined;
}

/** Half an hour to an hour: the watches of one start do not end together. */
function timeoutOf(query: URLSearchParams): number {
  const stated = Number(query.get('timeoutSeconds') ?? 0);
  return stated > 0 ? stated * 1_000 : 1_800_000 * (1 + Math.random());
}

function fromOf(query: URLSearchParams, revision: number): Watch['from'] | Refusal {
  const version = query.get('resourceVersion') ?? '';
  if (!/^\d*$/.test(version)) return refusal(500, { message: unparsed(version) });
  const isAsked = yesOrNo(query, 'sendInitialEvents');
  if (isAsked === true) return 'initial';
  if (isAsked === false && Number(version) === 0) return revision;
  return version === '' || version === '0' ? 'initial' : Number(version);
}
