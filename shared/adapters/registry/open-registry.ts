import type { Outside } from '#shared/domain/outside.ts';
import type { Registry, RegistryAccess } from '#shared/domain/registry/registry.ts';
import { joining } from '../joining.ts';
import { readBlob } from './blob-read.ts';
import { readManifest } from './manifest-read.ts';
import { readReferrers } from './referrers-read.ts';
import { remembered } from './remembered.ts';
import type { RegistryOptions, Tools } from './tools.ts';

export type RegistryParts = {
  readonly outside: Outside;
  /** Milliseconds. */
  readonly now: () => number;
};

export function openRegistry({ outside, now }: RegistryParts, options: RegistryOptions): Registry {
  const tools: Tools = {
    outside,
    options,
    now,
    tokens: remembered(now),
    busy: remembered(now),
    looks: remembered(now),
    looking: joining(),
  };
  const within = (access: RegistryAccess): RegistryAccess => ({
    ...access,
    signal: AbortSignal.any([AbortSignal.timeout(options.deadlineMs), access.signal]),
  });
  return {
    manifest: (image, access) => readManifest(tools, image, within(access)),
    blob: (blob, access) => readBlob(tools, blob, within(access)),
    referrers: (query, access) => readReferrers(tools, query, within(access)),
  };
}
