import {
  choice,
  type Decoded,
  dictionary,
  flag,
  list,
  preset,
  refine,
  section,
  text,
} from '../decode.ts';
import { isDuration } from '../duration.ts';
import { allFeatures, featureKeys } from './feature.ts';
import { plain } from './mount-path.ts';

const most = 1_000;

const featureKey = refine(
  text,
  (key) => featureKeys.includes(key),
  `one of ${featureKeys.join(', ')} (this is an unknown feature)`,
);
const featureOrAll = refine(
  text,
  (key) => key === allFeatures || featureKeys.includes(key),
  `${allFeatures} or one of ${featureKeys.join(', ')} (this is an unknown feature)`,
);

const byNamespace = refine(
  dictionary(list(featureOrAll)),
  (lists) => Object.keys(lists).length <= 10 * most,
  `at most ${10 * most} namespaces`,
);

/** A name that images cannot be pulled by would break every pod: upstream takes any text, an empty one too. */
const place = /^\[?[A-Za-z0-9][A-Za-z0-9._:\]-]*(?:\/[a-z0-9][a-z0-9._-]*)*\/*$/;

function isPlace(value: string): boolean {
  return value.length <= 255 && place.test(value);
}

const targets = refine(
  dictionary(refine(text, isPlace, 'a registry, with a path or without: mirror.example/hub')),
  (entries) => Object.keys(entries).length <= most,
  `at most ${most} entries`,
);

/** Any other text here the API server would refuse in a pod: the patch would deny what it should only improve. */
const volumeName = refine(
  text,
  (name) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name),
  "a volume's name",
);
const relativePath = refine(
  text,
  (path) => path !== '' && !path.startsWith('/') && !path.split('/').includes('..'),
  'a relative path that is not empty, without ..',
);
/** A mount over the root would leave nothing of an image. */
function isFolder(path: string): boolean {
  return !path.includes(':') && plain(path) !== '';
}

/** A relative one as well, as upstream: it begins at the root. */
const mountPath = refine(text, isFolder, "a folder's path that is not the root, without a colon");
const absolutePath = refine(
  text,
  (path) => path.startsWith('/') && isFolder(path),
  'an absolute path that is not the root, without a colon',
);
const bundleName = refine(
  text,
  (name) => name.length <= 253 && /^(?:[A-Za-z0-9][A-Za-z0-9.:-]*)?$/.test(name),
  "a ClusterTrustBundle's name",
);
const variableName = refine(
  text,
  (name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name),
  "an environment variable's name",
);

export const trustVariables: readonly string[] = [
  'SSL_CERT_FILE',
  'NODE_EXTRA_CA_CERTS',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'AWS_CA_BUNDLE',
  'GIT_SSL_CAINFO',
];

export const bundleShape = {
  name: preset(bundleName, '', 'The ClusterTrustBundle; none is mounted where it is empty.'),
  certWritePath: preset(relativePath, 'ca-certificates.crt', 'The file that it becomes.'),
  volumeMountPath: preset(
    mountPath,
    '/etc/ssl/certs',
    'The folder that it is mounted over: what the image has there is hidden, so that public CAs must be in it as well.',
  ),
  volumeName: preset(volumeName, 'rt-bootstrapper-certs', "The volume's name in pods."),
  resyncInterval: preset(
    refine(text, (value) => value === '' || isDuration(value), 'a duration such as 5m'),
    '',
    "How often pods are looked over, where it is sooner than our own settings' restart.everySeconds.",
  ),
  // From here on ours.
  optional: preset(flag, false, 'Whether a pod starts without the bundle where it is not there.'),
  mode: preset(
    choice('mount', 'environment', 'mountAndEnvironment'),
    'mount',
    'mount: in the place of volumeMountPath. environment: at environmentPath, named by variables. mountAndEnvironment: at volumeMountPath, named by variables as well.',
  ),
  environmentPath: preset(absolutePath, '/etc/trust-bundle', 'Where mode environment mounts it.'),
  variables: preset(
    list(variableName),
    [...trustVariables],
    "What names the bundle's file to programs; a container's own word on one of them stands.",
  ),
};

export const documentShape = {
  overrides: preset(targets, {}, 'Where images are pulled from instead, by registry.'),
  clusterTrustBundle: section(bundleShape, 'What pods are to trust.'),
  namespaceFeatures: preset(
    byNamespace,
    {},
    'What is on in a namespace unless it, or a pod, says otherwise.',
  ),
  availableFeatures: preset(list(featureKey), [], 'What is not among them never runs.'),
  // From here on ours.
  defaultMode: preset(
    choice('optOut', 'optIn'),
    'optOut',
    'Whether what is available is on where nobody says anything.',
  ),
  enforced: preset(byNamespace, {}, 'What nobody in a namespace can switch off.'),
  pathOverrides: preset(
    refine(
      targets,
      (entries) => Object.keys(entries).every(isPlace),
      'keys that are a registry, with a path or without: registry.example/team',
    ),
    {},
    'As overrides, by registry and path; the longest that fits wins.',
  ),
  dockerHubNames: preset(
    flag,
    false,
    'Whether names such as nginx are read as docker.io/library/nginx, and rewritten.',
  ),
};

/** Upstream's configuration, with further keys of ours. Its own checks between keys are `flawsOf`'s. */
export const plainDocument = section(
  documentShape,
  "The document itself, for who wants no ConfigMap: as soon as it makes a feature available, the ConfigMap's counts no more.",
);

export type BootstrapDocument = Decoded<typeof plainDocument>;
export type TrustBundleSettings = BootstrapDocument['clusterTrustBundle'];

/** A feature that a namespace names must be available, unless nothing is (upstream's old documents). */
export function flawsOf(document: BootstrapDocument) {
  const { availableFeatures, namespaceFeatures, enforced } = document;
  if (availableFeatures.length === 0) return [];
  return Object.entries({ namespaceFeatures, enforced }).flatMap(([key, lists]) =>
    Object.entries(lists).flatMap(([namespace, listed]) =>
      listed.flatMap((found, index) =>
        found === allFeatures || availableFeatures.includes(found)
          ? []
          : [{ path: `$.${key}.${namespace}[${index}]`, expected: isListed, found }],
      ),
    ),
  );
}

const isListed = 'a feature that is available (this one is not in availableFeatures)';

/** As it may stand in our own settings. */
export const bootstrapDocument = refine(
  plainDocument,
  (document) => flawsOf(document).length === 0,
  'a document whose namespaces name available features (one is not in availableFeatures)',
);
