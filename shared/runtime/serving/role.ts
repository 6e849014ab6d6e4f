export const roles = ['forwarder', 'worker', 'admission', 'all'] as const;

/** What a process is. */
export type Role = (typeof roles)[number];

/** `all` is each of them. */
export function isPart(role: Role, part: Exclude<Role, 'all'>): boolean {
  return role === part || role === 'all';
}
