import { isJsonObject, isList, type Json, type JsonObject } from '#shared/domain/json.ts';

type Get = (path: string, accept?: string) => Promise<JsonObject>;

const asTable = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** `apps/v1 deployments` to what `kubectl get` shows of it, of all that is served: `Name string name | Ready string …`. */
export async function columnsOf(get: Get): Promise<ReadonlyMap<string, string>> {
  const groups = await get('/apis');
  const paths = [
    '/api/v1',
    ...objectsIn(groups['groups'])
      .flatMap(({ versions }) => objectsIn(versions))
      .map(({ groupVersion }) => `/apis/${groupVersion}`),
  ];
  const all = await Promise.all(paths.map((path) => columnsUnder(path, get)));
  return new Map(all.flat().toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

async function columnsUnder(
  path: string,
  get: Get,
): Promise<readonly (readonly [string, string])[]> {
  const { resources } = await get(path);
  const listed = objectsIn(resources).filter(
    ({ verbs }) => isList(verbs) && verbs.includes('list'),
  );
  return Promise.all(
    listed.map(async ({ name }) => {
      const table = await get(`${path}/${name}?limit=1`, asTable);
      const columns = objectsIn(table['columnDefinitions']).map(said).join(' | ');
      return [`${path.replace(/^\/apis?\//, '')} ${name}`, columns] as const;
    }),
  );
}

/** With `-o wide` where it has a priority. */
function said({ name, type, format, priority }: JsonObject): string {
  const stated = [name, type, format].filter((each) => each !== '');
  return `${stated.join(' ')}${priority === 0 ? '' : ` (${priority})`}`;
}

function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return value !== undefined && isList(value) ? value.filter(isJsonObject) : [];
}
