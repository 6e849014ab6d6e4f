import { isJsonObject, type Json } from '../json.ts';
import { type Kind, pods } from '../kind.ts';
import type { KubeObject } from '../kube-object.ts';
import { parseApiVersion } from '../reference.ts';

type Told = {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
};

/** Who hears of a pod: whoever looks at it, and at what made it, since a workload looks healthy while its pods are refused. */
export function toldOf({ metadata }: KubeObject): readonly Told[] {
  const { namespace = '', name = '', uid = '', ownerReferences } = metadata;
  const pod = { kind: pods, namespace, name, uid };
  const owner = itemsOf(ownerReferences).find((each) => each['controller'] === true);
  const kind = owner && kindOf(textAt(owner['apiVersion']), textAt(owner['kind']));
  if (kind === undefined) return [pod];
  return [pod, { kind, namespace, name: textAt(owner?.['name']), uid: textAt(owner?.['uid']) }];
}

/** An Event names the kind and nothing else: the resource is as good as any. */
function kindOf(apiVersion: string, kind: string): Kind | undefined {
  const parsed = parseApiVersion(apiVersion);
  if (parsed === undefined || kind === '') return undefined;
  return { ...parsed, kind, resource: `${kind.toLowerCase()}s`, namespaced: true };
}

function itemsOf(value: Json | undefined) {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return items.filter(isJsonObject);
}

function textAt(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
