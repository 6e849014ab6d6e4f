import type { Outside } from './outside.ts';
import { notaryOf } from './settle-world.ts';

/** In the Notary of the platform, beside what it has signed already. */
export async function signAtPlatform(
  { notaries }: Outside,
  collections: Parameters<typeof notaryOf>[0],
): Promise<void> {
  const notary = await notaryOf(collections);
  const platform = notaries.get('platform');
  notaries.set('platform', (gun, file) =>
    gun in collections ? notary(gun, file) : (platform?.(gun, file) ?? 'absent'),
  );
}
