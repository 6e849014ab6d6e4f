import type { Step } from './case.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const things = '/apis/{ns}.example/v1/namespaces/{ns}/things';

type Definition = {
  readonly schema?: unknown;
  /** More of the only version, and of the spec. */
  readonly version?: object;
  readonly spec?: object;
};

/** `DEFINE` and the webhook configurations are said in few words; all other steps are requests as they stand. */
export function expanded(step: Step): readonly Step[] {
  const [verb = '', name = 'hook-{ns}'] = step.do.split(' ');
  if (verb === 'DEFINE') return defined((step.send ?? {}) as Definition);
  if (verb !== 'MUTATING' && verb !== 'VALIDATING') return [step];
  const address = `POST ${verb.toLowerCase()}webhookconfigurations`;
  const webhooks = (step.send as readonly Hooked[]).map(webhook);
  return [{ gives: 201, ...step, do: address, send: { metadata: { name }, webhooks } }];
}

/** Until it can be listed. */
function defined({ schema, version = {}, spec = {} }: Definition): readonly Step[] {
  const openAPIV3Schema = schema ?? {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
  };
  const versions = [
    { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, ...version },
  ];
  const send = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.{ns}.example' },
    spec: {
      group: '{ns}.example',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing' },
      versions,
      ...spec,
    },
  };
  return [
    { do: `POST ${definitions}`, send, gives: 201 },
    { do: `GET ${things}`, gives: 200, eventually: true },
  ];
}

type Hooked = { readonly name: string; readonly clientConfig?: object };

/** Called for new config maps of the case's own namespace, at our server, unless it says otherwise. */
function webhook({ name, ...more }: Hooked): object {
  return {
    name: `${name}.test.example`,
    clientConfig: { url: `{hooks}/{ns}/${name}`, caBundle: '{ca}' },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': '{ns}' } },
    rules: [
      { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] },
    ],
    ...more,
  };
}
