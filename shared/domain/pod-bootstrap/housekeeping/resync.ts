import { parseDuration } from '../../duration.ts';
import type { BootstrapDocument } from '../document.ts';
import type { RestartSettings } from './restart-settings.ts';

/** A pass goes through all pods: nobody wants it without a pause. */
const leastSeconds = 10;

/** When the document wants all pods looked over again; `undefined` where our own period comes first. */
export function resyncSeconds(
  { clusterTrustBundle: { name, resyncInterval } }: Pick<BootstrapDocument, 'clusterTrustBundle'>,
  { everySeconds }: Pick<RestartSettings, 'everySeconds'>,
): number | undefined {
  const ms = name === '' ? undefined : parseDuration(resyncInterval);
  if (ms === undefined) return undefined;
  const wanted = Math.max(leastSeconds, Math.ceil(ms / 1_000));
  return wanted < everySeconds ? wanted : undefined;
}
