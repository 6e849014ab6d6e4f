import { onTestFinished } from 'vitest';
import {
  type AdmissionOptions,
  type OpenedAdmission,
  openAdmission,
} from '#infra/emulator/cluster/admission/open-admission.ts';
import type { JsonObject } from '#shared/domain/json.ts';
import { type ObjectsRead, objectsRead } from '../access/objects-read.ts';
import { namespace } from './admitting.ts';
import { type HookServer, hookServer } from './hook-server.ts';

export type Opened = {
  readonly admission: OpenedAdmission;
  readonly reading: ObjectsRead;
  readonly server: HookServer;
  /** A `clientConfig` for a path of the server. */
  at(path: string): JsonObject;
};

export async function opened(options: Partial<AdmissionOptions> = {}): Promise<Opened> {
  const server = await hookServer();
  const reading = objectsRead(namespace('home'));
  const admission = openAdmission({ reading, refusedGrant: () => undefined, ...options });
  onTestFinished(async () => {
    admission.close();
    await server.close();
  });
  const { caBundle, port } = server;
  const at = (path: string) => ({ url: `https://localhost:${port}${path}`, caBundle });
  return { admission, reading, server, at };
}
