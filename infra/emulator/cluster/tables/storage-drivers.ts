import {
  ageColumn,
  at,
  count,
  flag,
  listAt,
  nameColumn,
  stated,
  text,
  textAt,
  textsAt,
} from './cells.ts';
import type { Columns } from './table.ts';

export const storageDrivers: Readonly<Record<string, Columns>> = {
  'csidrivers.storage.k8s.io': [
    nameColumn,
    flag('AttachRequired', (object) => at(object, 'spec.attachRequired') !== false),
    flag('PodInfoOnMount', (object) => at(object, 'spec.podInfoOnMount') === true),
    flag('StorageCapacity', (object) => at(object, 'spec.storageCapacity') === true),
    text('TokenRequests', (object) =>
      at(object, 'spec.tokenRequests') === undefined
        ? '<unset>'
        : listAt(object, 'spec.tokenRequests')
            .map((each) => textAt(each, 'audience'))
            .join(','),
    ),
    flag('RequiresRepublish', (object) => at(object, 'spec.requiresRepublish') === true),
    text('Modes', (object) => stated(textsAt(object, 'spec.volumeLifecycleModes').join(','))),
    ageColumn,
  ],
  'csinodes.storage.k8s.io': [
    nameColumn,
    count('Drivers', (object) => listAt(object, 'spec.drivers').length),
    ageColumn,
  ],
  'volumeattachments.storage.k8s.io': [
    nameColumn,
    { ...text('Attacher', (object) => textAt(object, 'spec.attacher')), format: 'name' },
    text('PV', (object) => textAt(object, 'spec.source.persistentVolumeName')),
    text('Node', (object) => textAt(object, 'spec.nodeName')),
    flag('Attached', (object) => at(object, 'status.attached') === true),
    ageColumn,
  ],
  'volumeattributesclasses.storage.k8s.io': [
    nameColumn,
    text('DriverName', (object) => textAt(object, 'driverName')),
    ageColumn,
  ],
};
