import { choice, type Decoded, list, preset, refine, section, text } from '../decode.ts';
import { isLabelValue } from '../label.ts';
import { type BootstrapDocument, bootstrapDocument } from './document.ts';
import { restartSettings } from './housekeeping/restart-settings.ts';

const objectName = refine(
  text,
  (name) => name.length <= 253 && /^[a-z0-9](?:[-.a-z0-9]*[a-z0-9])?$/.test(name),
  "an object's name",
);

/** What upstream is told by flags; everything else stands in the document. */
export const podBootstrapSettings = section(
  {
    configMap: section(
      {
        namespace: preset(objectName, 'kyma-system', 'Its namespace.'),
        name: preset(objectName, 'rt-bootstrapper-config', 'Its name.'),
        key: preset(text, 'rt-bootstrapper-config.json', 'The key that holds the document.'),
        writers: preset(
          list(text),
          [],
          'Who may write it, by the names of users or of their groups; whoever the cluster lets where none is named.',
        ),
      },
      'The ConfigMap whose document says what is done to pods.',
    ),
    document: bootstrapDocument,
    pullSecret: section(
      {
        namespace: preset(objectName, 'kyma-system', 'The namespace of the source.'),
        name: preset(
          objectName,
          'registry-credentials',
          'Of the source, of its replicas, and of what pods refer to.',
        ),
        formerName: preset(
          objectName,
          'registry-credentials',
          'What the name was before, where it is another one now: replicas of ours under it are removed as soon as the new ones are there.',
        ),
        foreign: preset(
          choice('adopt', 'leave'),
          'adopt',
          'What becomes of a Secret of that name and type that somebody else has made.',
        ),
      },
      'The credentials that images are pulled with.',
    ),
    restart: restartSettings,
    landscape: preset(
      refine(text, isLabelValue, 'a name such as NS2'),
      '',
      'What set-landscape tells every container.',
    ),
  },
  'Pod bootstrap: every pod starts with the right registry, credentials and trust.',
);

export type PodBootstrapSettings = Decoded<typeof podBootstrapSettings>;

/** The document that stands in the settings, if one does. */
export function documentIn({ document }: PodBootstrapSettings): BootstrapDocument | undefined {
  return document.availableFeatures.length > 0 ? document : undefined;
}
